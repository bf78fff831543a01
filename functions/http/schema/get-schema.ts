import { getSchema } from "#contracts/schema";
import { visibleSchema } from "#shared/data/access/access";
import { endpoint } from "#shared/lambda/http/endpoint";
import { reply } from "#shared/lambda/http/reply";

export const handler = endpoint(getSchema)(async ({ tenant, path }) =>
  reply(200, await visibleSchema(tenant, path.object)),
);
