import { createSchema as contract } from "#contracts/schema";
import { refuseReviving } from "#shared/data/access/access";
import { apiNameOf, createSchema } from "#shared/data/schema/schema";
import { invokeLater } from "#shared/foundation/aws/functions";
import { endpoint } from "#shared/lambda/http/endpoint";
import { reply } from "#shared/lambda/http/reply";

export const handler = endpoint(contract)(async ({ tenant, body }) => {
  await refuseReviving(tenant, body.api_name ?? apiNameOf(body.name) ?? "");
  return reply(201, await createSchema(tenant, body, invokeLater));
});
