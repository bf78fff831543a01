import { Fault, type Issue } from "#shared/foundation/faults";
import type { Span } from "./parse/syntax.ts";

/**
 * `query_syntax`: the text is no query. `query_too_complex`: a limit is exceeded. `unknown_object`, `unknown_field`,
 * `ambiguous_field`: a name that the caller cannot see. `query_type`: a value or operator that does not fit a field.
 * `query_structure`: clauses that cannot be combined. `query_timeout`: the time limit was exceeded. `result_too_large`:
 * one row alone is too large for a reply.
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

/** The position of the text in the request: `["query", "q"]` or `["body", "query"]`. */
export type QueryLocation = readonly (string | number)[];

/** `msg` begins with the position, so that it is complete without `ctx`, which has the parts. */
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
