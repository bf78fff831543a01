import { updateValidationRule } from "#contracts/validation-rules";
import { validationRules } from "#shared/data/records/rules/rules";
import { endpoint } from "#shared/lambda/http/endpoint";
import { reply } from "#shared/lambda/http/reply";

export const handler = endpoint(updateValidationRule)(async ({ tenant, path, query, body }) =>
  reply(200, await validationRules(tenant, path.object_id).update(path.rule_api_name, body, query)),
);
