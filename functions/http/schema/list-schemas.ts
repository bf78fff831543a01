import { listSchemas } from "#contracts/schema";
import { visibleSchemas } from "#shared/data/access/access";
import { env } from "#shared/foundation/env";
import { endpoint } from "#shared/lambda/http/endpoint";
import { reply } from "#shared/lambda/http/reply";

export const handler = endpoint(listSchemas)(async ({ tenant, query }) => {
  const { schemas, next } = await visibleSchemas(tenant, query.after);
  const link = `<${env.issuer()}/v1/schema?after=${next}>; rel="next"`;
  return reply(200, schemas, next === null ? {} : { "x-truncated": "true", link });
});
