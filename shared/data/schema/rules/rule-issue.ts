import type { Issue } from "#shared/foundation/faults";

/**
 * `rule_syntax`: the text is no CEL expression. `rule_too_complex`: a limit is exceeded. `unknown_name`,
 * `unknown_field`, `unknown_function`: a name that a condition cannot use. `rule_type`: an operator or function that
 * does not fit the types of its operands. `rule_unsupported`: a part of CEL that conditions do not have.
 */
export type RuleIssueType =
  | "rule_syntax"
  | "rule_too_complex"
  | "unknown_name"
  | "unknown_field"
  | "unknown_function"
  | "rule_type"
  | "rule_unsupported";

/** A part of the condition, in UTF-16 units from its start. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export interface RuleProblem {
  readonly at: Span;
  readonly type: RuleIssueType;
  readonly sentence: string;
  readonly didYouMean?: string | undefined;
}

/** Line and column count from 1. `msg` begins with the position, so that it is complete without `ctx`. */
export const ruleIssue = (loc: Issue["loc"], condition: string, problem: RuleProblem): Issue => {
  const { at, type, sentence, didYouMean } = problem;
  const before = condition.slice(0, at.start);
  const line = before.split("\n").length;
  const column = at.start - before.lastIndexOf("\n");
  const hint = didYouMean === undefined ? "" : ` Did you mean "${didYouMean}"?`;
  const named = didYouMean === undefined ? {} : { did_you_mean: didYouMean };
  return {
    loc,
    msg: `Line ${line}, column ${column}: ${sentence}${hint}`,
    type,
    ctx: { line, column, offset: at.start, length: Math.max(at.end - at.start, 0), ...named },
  };
};
