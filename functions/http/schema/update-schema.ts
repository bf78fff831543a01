import { updateSchema as contract } from "#contracts/schema";
import { updateSchema } from "#shared/data/schema/schema";
import { invokeLater } from "#shared/foundation/aws/functions";
import { endpoint } from "#shared/lambda/http/endpoint";
import { reply } from "#shared/lambda/http/reply";

export const handler = endpoint(contract)(async ({ tenant, body }) => {
  await updateSchema(tenant, body, invokeLater);
  return reply(204);
});
