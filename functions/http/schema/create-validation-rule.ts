import { createValidationRule } from "#contracts/validation-rules";
import { validationRules } from "#shared/data/records/rules/rules";
import { endpoint } from "#shared/lambda/http/endpoint";
import { reply } from "#shared/lambda/http/reply";

export const handler = endpoint(createValidationRule)(async ({ tenant, path, query, body }) =>
  reply(200, await validationRules(tenant, path.object_id).create(body, query)),
);
