import type { Issue } from "#shared/foundation/faults";
import type { ObjectSchema } from "../object-schema.ts";
import { compileCondition, newRuleEnvironment } from "./compile.ts";
import type { OpaqueFields } from "./field-types.ts";
import { ruleIssue } from "./rule-issue.ts";

/** Everything that is wrong with a condition for an object, with line and column. Empty if nothing is. */
export const conditionIssues = (
  schema: ObjectSchema,
  opaque: OpaqueFields,
  condition: string,
  loc: Issue["loc"],
): Issue[] => {
  const compiled = compileCondition(newRuleEnvironment(schema, opaque(schema)), condition);
  return "evaluate" in compiled ? [] : compiled.map((problem) => ruleIssue(loc, condition, problem));
};
