import { deleteValidationRule } from "#contracts/validation-rules";
import { validationRules } from "#shared/data/records/rules/rules";
import { endpoint } from "#shared/lambda/http/endpoint";
import { reply } from "#shared/lambda/http/reply";

export const handler = endpoint(deleteValidationRule)(async ({ tenant, path }) => {
  await validationRules(tenant, path.object_id).remove(path.rule_api_name);
  return reply(200, { deleted: path.rule_api_name });
});
