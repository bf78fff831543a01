import { updateField as contract } from "#contracts/schema";
import { refuseUnmaskingChange } from "#shared/data/access/access";
import { updateField } from "#shared/data/schema/schema";
import { invokeLater } from "#shared/foundation/aws/functions";
import { endpoint } from "#shared/lambda/http/endpoint";
import { reply } from "#shared/lambda/http/reply";

export const handler = endpoint(contract)(async ({ tenant, body }) => {
  await refuseUnmaskingChange(tenant, body);
  return reply(200, await updateField(tenant, body, invokeLater));
});
