import { updateField as contract } from "#contracts/schema";
import { refuseUnmasking } from "#shared/data/access/access";
import { updateField } from "#shared/data/schema/schema";
import { invokeLater } from "#shared/foundation/aws/functions";
import { endpoint } from "#shared/lambda/http/endpoint";
import { reply } from "#shared/lambda/http/reply";

export const handler = endpoint(contract)(async ({ tenant, body }) => {
  await refuseUnmasking(tenant, body.object_id, body.sensitive === false ? [body.api_name] : []);
  return reply(200, await updateField(tenant, body, invokeLater));
});
