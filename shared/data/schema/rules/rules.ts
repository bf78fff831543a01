/** Validation rules: conditions in CEL that refuse records. Pure: without I/O, clock and access decisions. */
export {
  newRuleOf,
  type RuleRequest,
  type RuleUpdateRequest,
  ruleOf,
  withChangedRule,
  withNewRule,
  withoutRule,
} from "./change-rules.ts";
export { fieldsOfCondition } from "./compile.ts";
export { conditionIssues } from "./condition-issues.ts";
export { failingRules, type RuleFailure, type RuleInput } from "./evaluate.ts";
export type { OpaqueFields } from "./field-types.ts";
export { ruleLimits } from "./limits.ts";
export { type Evaluate, ExpressionError, expressionOf, type Scope, settingConditionIssues } from "./scope.ts";
export type { RuleUser } from "./values.ts";
