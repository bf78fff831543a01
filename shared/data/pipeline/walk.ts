import { Fault, type Issue } from "#shared/foundation/faults";
import { type JsonPath, jsonPathText, shortJsonPath } from "./json.ts";
import { pipelineLimits } from "./limits.ts";
import type { Source, Sources } from "./sources.ts";
import { meantName, nounOf, type Vocabulary } from "./vocabulary.ts";

/**
 * `operator_not_allowed`: a name beginning with `$` that may not stand there. `pipeline_structure`: something is not of
 * the form that its place needs. `pipeline_too_complex`: a bound is exceeded. `unknown_object`, `unknown_field`: a name
 * that the caller cannot see. `pipeline_failed`: the database refused it. `query_timeout`, `result_too_large`.
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

/** What is found out on the way through one request's pipeline and all pipelines inside of it. */
export interface Walk {
  readonly sources: Sources;
  readonly issues: Issue[];
  stages: number;
  joins: number;
  /** Two runs may give different rows, so what one counts says nothing about the other. */
  random: boolean;
}

export const newWalk = (sources: Sources): Walk => ({ sources, issues: [], stages: 0, joins: 0, random: false });

/** What a stage reads of the documents that come in. */
export interface Uses {
  /** Paths of fields. */
  readonly fields: Set<string>;
  /** It may read any field: `$$ROOT`, a field whose name is not written as a path. */
  whole: boolean;
  /** It may fail on some documents, and so tell of documents that only the database gets to see. */
  canFail: boolean;
}

export const newUses = (): Uses => ({ fields: new Set(), whole: false, canFail: false });

/** Where in a pipeline the walk is. */
export interface Scope {
  readonly walk: Walk;
  /** User variables in sight. */
  readonly variables: ReadonlySet<string>;
  readonly uses: Uses;
  /** The collection whose documents arrive as they are stored; null behind any stage that may have changed them. */
  readonly stored: Source | null;
  /** Inside `$redact`, which has variables of its own. */
  readonly redacts?: boolean;
}

export const withVariables = (scope: Scope, names: Iterable<string>): Scope => ({
  ...scope,
  variables: new Set([...scope.variables, ...names]),
});

/** Notes a failure and goes on, so that one answer names them all. */
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
