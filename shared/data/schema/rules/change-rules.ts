import type * as z from "zod";
import type { validationRuleRequest, validationRuleUpdateRequest } from "#contracts/validation-rules";
import { Fault, type Issue, refuseIfAny } from "#shared/foundation/faults";
import { apiNameOf, noApiName } from "../fields.ts";
import type { ObjectSchema, ValidationRule } from "../object-schema.ts";
import { conditionIssues } from "./condition-issues.ts";
import type { OpaqueFields } from "./field-types.ts";
import { ruleLimits } from "./limits.ts";

export type RuleRequest = z.output<typeof validationRuleRequest>;
export type RuleUpdateRequest = z.output<typeof validationRuleUpdateRequest>;

const settingIssue = (setting: string, msg: string, type: string): Issue => ({ loc: ["body", setting], msg, type });

const errorFieldIssues = ({ api_name, properties }: ObjectSchema, field: string | undefined): Issue[] =>
  field === undefined || Object.hasOwn(properties, field)
    ? []
    : [settingIssue("error_field", `"${api_name}" has no field "${field}".`, "unknown_field")];

/** Raises `validation_failed` with everything that is wrong with the rule. */
const refuseBadRule = (schema: ObjectSchema, rule: ValidationRule, opaque: OpaqueFields): void =>
  refuseIfAny([
    ...conditionIssues(schema, opaque, rule.condition, ["body", "condition"]),
    ...errorFieldIssues(schema, rule.error_field),
  ]);

/** The rule of a request to create one. Raises `validation_failed`. */
export const newRuleOf = ({
  api_name,
  active = true,
  on = ["create", "update"],
  ...settings
}: RuleRequest): ValidationRule => {
  const key = api_name ?? apiNameOf(settings.name);
  if (key === null) throw new Fault("validation_failed", { issues: [{ loc: ["body", "api_name"], ...noApiName }] });
  return { ...settings, api_name: key, active, on: [...new Set(on)] };
};

/** The object with a further rule. Raises `rule_exists` and `validation_failed`. */
export const withNewRule = (schema: ObjectSchema, rule: ValidationRule, opaque: OpaqueFields): ObjectSchema => {
  const { api_name, validation_rules } = schema;
  refuseBadRule(schema, rule, opaque);
  if (validation_rules.some((known) => known.api_name === rule.api_name)) {
    throw new Fault("rule_exists", { message: `"${api_name}" has a rule "${rule.api_name}" already.` });
  }
  if (validation_rules.length >= ruleLimits.perObject) {
    const msg = `An object has at most ${ruleLimits.perObject} validation rules.`;
    throw new Fault("validation_failed", { issues: [{ loc: ["body"], msg, type: "too_many_rules" }] });
  }
  return { ...schema, validation_rules: [...validation_rules, rule] };
};

/** Raises `rule_not_found`. */
export const ruleOf = ({ api_name, validation_rules }: ObjectSchema, name: string): ValidationRule => {
  const rule = validation_rules.find((known) => known.api_name === name);
  if (rule !== undefined) return rule;
  throw new Fault("rule_not_found", { message: `"${api_name}" has no validation rule "${name}".` });
};

const changed = (rule: ValidationRule, { error_field, ...settings }: RuleUpdateRequest): ValidationRule => {
  const given = Object.entries(settings).filter(([, value]) => value !== undefined);
  const { error_field: stored, ...others } = rule;
  const field = error_field === undefined ? stored : error_field;
  const own = field === undefined || field === null ? {} : { error_field: field };
  const merged: ValidationRule = { ...others, ...own, ...Object.fromEntries(given) };
  return { ...merged, on: [...new Set(merged.on)] };
};

/**
 * The object with the rule changed. A rule that is not active may stay as it is, although fields that it reads are gone.
 * Raises `rule_not_found` and `validation_failed`.
 */
export const withChangedRule = (
  schema: ObjectSchema,
  name: string,
  request: RuleUpdateRequest,
  opaque: OpaqueFields,
): ObjectSchema => {
  const before = ruleOf(schema, name);
  if (request.api_name !== undefined && request.api_name !== name) {
    const issues = [settingIssue("api_name", "The api_name of a rule cannot be changed.", "read_only")];
    throw new Fault("validation_failed", { issues });
  }
  const after = changed(before, request);
  if (after.active || request.condition !== undefined) refuseBadRule(schema, after, opaque);
  return { ...schema, validation_rules: schema.validation_rules.map((rule) => (rule === before ? after : rule)) };
};

/** The object without the rule. Raises `rule_not_found`. */
export const withoutRule = (schema: ObjectSchema, name: string): ObjectSchema => {
  const gone = ruleOf(schema, name);
  return { ...schema, validation_rules: schema.validation_rules.filter((rule) => rule !== gone) };
};
