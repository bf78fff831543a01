import { Fault, type Issue } from "#shared/foundation/faults";
import { type JsonPath, jsonPathText, shortJsonPath } from "./json.ts";
import { pipelineLimits } from "./limits.ts";
import type { Source, Sources } from "./sources.ts";
import { meantName, nounOf, type Vocabulary } from "./vocabulary.ts";

/**
 * `operator_not_allowed`: an operator at a position where it is not allowed. `pipeline_structure`: a value of the wrong
 * form. `pipeline_too_complex`: a limit is exceeded. `unknown_object`, `unknown_field`: a name that the caller cannot
 * see. `pipeline_failed`: the database refused it. `query_timeout`, `result_too_large`.
 */
export type PipelineIssueType =
  | "operator_not_allowed"
  | "pipeline_structure"
  | "pipeline_too_complex"
  | "unknown_object"
  | "unknown_field"
  | "pipeline_failed"
  | "query_timeout"
  | "result_too_large";

export const pipelineIssue = (
  jsonPath: JsonPath,
  type: PipelineIssueType,
  sentence: string,
  details: Readonly<Record<string, unknown>> = {},
): Issue => {
  const path = jsonPathText(jsonPath);
  return { loc: ["body", ...shortJsonPath(jsonPath)], msg: `${path}: ${sentence}`, type, ctx: { path, ...details } };
};

export const pipelineFault = (...issue: Parameters<typeof pipelineIssue>): Fault =>
  new Fault("validation_failed", { issues: [pipelineIssue(...issue)] });

/** What is collected while a request's pipeline, with all pipelines inside it, is checked. */
export interface Walk {
  readonly sources: Sources;
  readonly issues: Issue[];
  stages: number;
  joins: number;
  /** Two runs may give different rows, so that rows cannot be counted in a second run. */
  random: boolean;
}

export const newWalk = (sources: Sources): Walk => ({ sources, issues: [], stages: 0, joins: 0, random: false });

/** What a stage reads of its input documents. */
export interface Uses {
  /** Paths of fields. */
  readonly fields: Set<string>;
  /** Whether it may read any field: through `$$ROOT`, or a field whose name is computed. */
  whole: boolean;
  /** Whether it may fail on some documents. An error could reveal a document that the caller may not see. */
  canFail: boolean;
}

export const newUses = (): Uses => ({ fields: new Set(), whole: false, canFail: false });

/** The position in a pipeline, and what is known there. */
export interface Scope {
  readonly walk: Walk;
  /** The user variables in scope. */
  readonly variables: ReadonlySet<string>;
  readonly uses: Uses;
  /** The collection whose stored documents are the input; null after any stage that may have changed them. */
  readonly stored: Source | null;
  /** Inside `$redact`, which has additional variables. */
  readonly redacts?: boolean;
}

export const withVariables = (scope: Scope, names: Iterable<string>): Scope => ({
  ...scope,
  variables: new Set([...scope.variables, ...names]),
});

/** Adds an issue and continues, so that one reply reports all issues. */
export const refuse = ({ issues }: Walk, ...issue: Parameters<typeof pipelineIssue>): void => {
  if (issues.length < pipelineLimits.issues) issues.push(pipelineIssue(...issue));
};

export const refuseStructure = (walk: Walk, jsonPath: JsonPath, sentence: string): void =>
  refuse(walk, jsonPath, "pipeline_structure", sentence);

export const refuseOperator = (walk: Walk, jsonPath: JsonPath, kind: Vocabulary, name: string): void => {
  const meant = meantName(kind, name);
  const hint = meant === undefined ? "" : ` Did you mean ${meant}?`;
  const operator = name.slice(0, 80);
  refuse(walk, jsonPath, "operator_not_allowed", `the ${nounOf(kind)} ${operator} is not allowed here.${hint}`, {
    operator,
    ...(meant === undefined ? {} : { did_you_mean: meant }),
  });
};
