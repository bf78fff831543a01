import { Fault, type Issue } from "#shared/foundation/faults";
import type { Span } from "./parse/syntax.ts";

/**
 * `query_syntax`: the text is no query. `query_too_complex`: a bound is exceeded. `unknown_object`, `unknown_field`,
 * `ambiguous_field`: a name that the caller cannot see. `query_type`: a value or operator that does not fit a field.
 * `query_structure`: clauses that do not go together. `query_timeout`: it ran over the time allowed.
 * `result_too_large`: one row alone is more than a reply can carry.
 */
export type QueryIssueType =
  | "query_syntax"
  | "query_too_complex"
  | "unknown_object"
  | "unknown_field"
  | "ambiguous_field"
  | "query_type"
  | "query_structure"
  | "query_timeout"
  | "result_too_large";

export interface QueryIssueDetails {
  readonly expected?: readonly string[];
  readonly found?: string;
  readonly did_you_mean?: string;
}

/** Where the text came from: `["query", "q"]` or `["body", "query"]`. */
export type QueryLocation = readonly (string | number)[];

/** `msg` begins with the position, so that it reads well alone; `ctx` has it in parts. */
export const queryIssue = (
  loc: QueryLocation,
  at: Span,
  type: QueryIssueType,
  sentence: string,
  details: QueryIssueDetails = {},
): Issue => ({
  loc,
  msg: `Line ${at.line}, column ${at.column}: ${sentence}`,
  type,
  ctx: { line: at.line, column: at.column, offset: at.offset, length: at.length, ...details },
});

export const queryFault = (...issue: Parameters<typeof queryIssue>): Fault =>
  new Fault("validation_failed", { issues: [queryIssue(...issue)] });
