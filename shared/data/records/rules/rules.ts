import { refuseSensitiveCondition } from "#shared/data/access/access";
import type { RuleRequest, RuleUpdateRequest } from "#shared/data/schema/rules/rules";
import { changeSchema, type ObjectSchema, requireSchema, type ValidationRule } from "#shared/data/schema/schema";
import type { Tenant } from "#shared/tenant/tenant";
import { opaqueFields, ruleEngine } from "../check-rules.ts";
import { type RuleTrial, tryRule } from "./try-rule.ts";

interface Options {
  /** Save nothing, and evaluate the rule for stored records. */
  readonly dry_run: boolean;
}

/**
 * The validation rules of one object, by its api_name or id. All methods raise `object_not_found`. Concurrent changes of
 * other rules and fields are kept.
 */
export interface ValidationRules {
  /** Raises `rule_exists`, `validation_failed`, `too_many_queries`, and `forbidden` for masked values. */
  create(request: RuleRequest, options: Options): Promise<ValidationRule | RuleTrial>;
  /** Raises `rule_not_found`, `validation_failed`, `too_many_queries`, and `forbidden` for masked values. */
  update(name: string, request: RuleUpdateRequest, options: Options): Promise<ValidationRule | RuleTrial>;
  /** Raises `rule_not_found`. */
  remove(name: string): Promise<void>;
}

const createRule = async (
  tenant: Tenant,
  object: string,
  request: RuleRequest,
  { dry_run }: Options,
): Promise<ValidationRule | RuleTrial> => {
  const { fieldsOfCondition, newRuleOf, ruleOf, withNewRule } = await ruleEngine();
  const rule = newRuleOf(request);
  await refuseSensitiveCondition(tenant, await requireSchema(tenant, object), fieldsOfCondition(rule.condition));
  const add = (schema: ObjectSchema): ObjectSchema => withNewRule(schema, rule, opaqueFields);
  if (dry_run) {
    const schema = await requireSchema(tenant, object);
    add(schema);
    return tryRule(tenant, schema, rule);
  }
  return ruleOf(await changeSchema(tenant, object, add), rule.api_name);
};

const updateRule = async (
  tenant: Tenant,
  object: string,
  name: string,
  { request, dry_run }: Options & { readonly request: RuleUpdateRequest },
): Promise<ValidationRule | RuleTrial> => {
  const { fieldsOfCondition, ruleOf, withChangedRule } = await ruleEngine();
  const known = await requireSchema(tenant, object);
  const condition = request.condition ?? ruleOf(known, name).condition;
  await refuseSensitiveCondition(tenant, known, fieldsOfCondition(condition));
  const change = (schema: ObjectSchema): ObjectSchema => withChangedRule(schema, name, request, opaqueFields);
  if (dry_run) {
    const schema = change(known);
    return tryRule(tenant, schema, ruleOf(schema, name));
  }
  return ruleOf(await changeSchema(tenant, object, change), name);
};

export const validationRules = (tenant: Tenant, object: string): ValidationRules => ({
  create: (request, options) => createRule(tenant, object, request, options),
  update: (name, request, options) => updateRule(tenant, object, name, { ...options, request }),
  remove: async (name) => {
    const { withoutRule } = await ruleEngine();
    await changeSchema(tenant, object, (schema) => withoutRule(schema, name));
  },
});
