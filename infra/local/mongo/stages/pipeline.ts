import type { Collation } from "../collation.ts";
import type { Source } from "../cursors.ts";
import { type Evaluation, findCollection, type Operating, overlayFor } from "../engine.ts";
import { MongoFault, unsupported } from "../fault.ts";
import { compileFilter } from "../match/filter.ts";
import { isKnownElsewhere, isListed } from "../operators.ts";
import { type Constraint, constraintsOf } from "../query/constraints.ts";
import { type Counters, read } from "../query/execute.ts";
import type { Plan } from "../query/plan.ts";
import { plan } from "../query/planner.ts";
import { readSort, type SortField } from "../query/sort.ts";
import type { Collection } from "../storage/catalog.ts";
import { isView, resolveView } from "../storage/views.ts";
import { Doc } from "../values/document.ts";
import { toInteger } from "../values/numbers.ts";
import { typeName } from "../values/type-names.ts";
import type { Maybe, Value } from "../values/types.ts";
import { temporaryIndexes } from "./temporary-index.ts";

/** What the stages of one pipeline share. */
export interface PipelineScope {
  readonly operating: Operating;
  readonly db: string;
  /** undefined where the pipeline begins with documents of its own. */
  readonly collection: string | undefined;
  readonly evaluation: Evaluation;
  readonly collation: Collation | undefined;
  readonly hint?: Maybe;
  /** The stage that the pipeline is part of; not every stage may stand inside of another. */
  readonly inside?: string;
}

export type Stage = (input: Source) => Source;
export type StageCompiler = (spec: Value, scope: PipelineScope, name: string) => Stage;

const compilers = new Map<string, StageCompiler>();

/** Some stages hold pipelines themselves, so they are handed in rather than imported (see registry.ts). */
export function registerStages(stages: Readonly<Record<string, StageCompiler>>): void {
  for (const name in stages) compilers.set(name, stages[name] as StageCompiler);
}

function stageNamed(name: string): StageCompiler {
  const stage = compilers.get(name);
  if (stage === undefined) throw new MongoFault(40324, `Unrecognized pipeline stage name: '${name}'`);
  return stage;
}

/** A pipeline ready to run, any number of times: the plan is made anew with the variables of the moment. */
export interface Pipeline {
  open(): Source;
  /** Runs the stages on given documents instead of the collection. */
  over(input: Source): Source;
  explain(): Explanation;
}

export interface Explanation {
  readonly plan: Plan;
  readonly counters: Counters;
  readonly returned: number;
}

export const openPipeline = (scope: PipelineScope, stages: readonly Value[]): Source =>
  compilePipeline(scope, stages).open();

interface Head {
  readonly filter: Doc;
  readonly sort: readonly SortField[];
  readonly skip: number;
  readonly limit: number | undefined;
  readonly rest: readonly Doc[];
}

export function compilePipeline(asked: PipelineScope, given: readonly Value[]): Pipeline {
  const { scope, viewStages } = throughView(asked);
  const stages = [...viewStages, ...checkStages(given, asked.inside)];
  return isSelfContained(stages, scope.collection) ? selfContained(stages, scope) : onCollection(stages, scope);
}

/** A view is its collection with the stages of the view in front. */
function throughView(scope: PipelineScope): { scope: PipelineScope; viewStages: readonly Doc[] } {
  const { operating, db, collection: name } = scope;
  const collection = name === undefined ? undefined : findCollection(operating, db, name);
  if (collection === undefined || !isView(collection)) return { scope, viewStages: [] };
  const view = resolveView(collection);
  return { scope: { ...scope, collection: view.name }, viewStages: view.stages };
}

const chain = (stages: readonly Stage[], input: Source): Source =>
  stages.reduce((source, stage) => stage(source), input);

function selfContained(stages: readonly Doc[], scope: PipelineScope): Pipeline {
  const compiled = stages.map((stage) => compileStage(stage, scope));
  return {
    open: () => chain(compiled, () => undefined),
    over: (input) => chain(compiled, input),
    explain: () => ({ plan: { kind: "nothing" }, counters: { keys: 0, docs: 0 }, returned: 0 }),
  };
}

function onCollection(stages: readonly Doc[], scope: PipelineScope): Pipeline {
  const { operating, db, evaluation, collation, collection: name } = scope;
  if (name === undefined)
    throw new MongoFault(73, "{aggregate: 1} is not valid for this pipeline; a collection is needed");
  const head = headOf(stages);
  const matches = compileFilter(head.filter, evaluation);
  const rest = head.rest.map((stage) => compileStage(stage, scope));
  const planOf = planner(head, scope);
  let whole: Stage[] | undefined;
  const readHead = (): { docs: Doc[]; plan: Plan; counters: Counters } => {
    const collection = findCollection(operating, db, name);
    const counters: Counters = { keys: 0, docs: 0 };
    if (collection === undefined) return { docs: [], plan: { kind: "nothing" }, counters };
    const chosen = planOf(collection);
    const { deadline } = operating;
    const overlay = overlayFor(operating, collection);
    const found = read({
      ...head,
      collection,
      plan: chosen,
      matches,
      counters,
      order: collation?.order,
      deadline,
      overlay,
    });
    return { docs: found.map(({ doc }) => doc), plan: chosen, counters };
  };
  return {
    open() {
      const { docs } = readHead();
      let at = 0;
      return chain(rest, rest.length === 0 ? () => docs[at++] : () => docs[at++]?.view());
    },
    over(input) {
      whole ??= stages.map((stage) => compileStage(stage, scope));
      return chain(whole, input);
    },
    explain() {
      const { docs, plan: chosen, counters } = readHead();
      return { plan: chosen, counters, returned: docs.length };
    },
  };
}

function planner({ filter, sort, skip, limit }: Head, scope: PipelineScope): (collection: Collection) => Plan {
  const { operating, evaluation, collation, hint } = scope;
  const temporary = temporaryIndexes();
  const needed = limit === undefined ? undefined : limit + skip;
  return (collection) => {
    const chosen = plan(collection, { ...evaluation, filter, sort, limit: needed, hint, collation });
    if (chosen.kind !== "scan" || hint !== undefined || overlayFor(operating, collection)?.size) return chosen;
    const constraints = (): Constraint[] => constraintsOf(filter, evaluation.scope, evaluation.frame);
    return temporary.improve(operating.engine, collection, collation, constraints) ?? chosen;
  };
}

function isSelfContained(stages: readonly Doc[], name: string | undefined): boolean {
  const first = stages[0]?.keys[0];
  if (first === "$documents") {
    if (name !== undefined)
      throw new MongoFault(73, "$documents is only valid as the first stage of a pipeline on a database");
    return true;
  }
  return first === "$collStats" || first === "$indexStats";
}

/** Stages that may only stand at the end of a whole pipeline, or not inside of some others. */
const onlyLast = new Set(["$out", "$merge"]);
const onlyFirst = new Set(["$documents", "$collStats", "$indexStats"]);

function checkStages(stages: readonly Value[], inside: string | undefined): Doc[] {
  return stages.map((stage, i) => {
    if (!(stage instanceof Doc)) throw new MongoFault(14, "Each element of the 'pipeline' array must be an object");
    if (stage.size !== 1)
      throw new MongoFault(40323, "A pipeline stage specification object must contain exactly one field.");
    const name = stage.keys[0] as string;
    if (!isListed("stages", name)) {
      throw isKnownElsewhere(name)
        ? unsupported(name)
        : new MongoFault(40324, `Unrecognized pipeline stage name: '${name}'`);
    }
    checkPlace(name, i, inside);
    return stage;
  });
}

const insideCodes: Record<string, number> = { $lookup: 51047, $facet: 40600, $unionWith: 31441 };

/** $out and $merge are taken off the end of a pipeline before it comes here: where they are found, they are misplaced. */
function checkPlace(name: string, at: number, inside: string | undefined): void {
  if (onlyLast.has(name)) {
    if (inside === undefined) throw new MongoFault(40601, `${name} can only be the final stage in the pipeline`);
    throw new MongoFault(
      insideCodes[inside] ?? 40600,
      `${name} is not allowed within a ${inside} stage's sub-pipeline`,
    );
  }
  if (inside === "$facet" && (name === "$facet" || onlyFirst.has(name))) {
    throw new MongoFault(40600, `${name} is not allowed to be used within a $facet stage`);
  }
  if (onlyFirst.has(name) && at > 0)
    throw new MongoFault(40602, `${name} is only valid as the first stage in a pipeline`);
}

/** The leading stages that a query on the collection can do by itself. */
function headOf(stages: readonly Doc[]): Head {
  const filters: Doc[] = [];
  let i = 0;
  for (; stages[i]?.keys[0] === "$match"; i++) filters.push(matchSpec(stages[i]?.values[0]));
  let sort: SortField[] = [];
  if (stages[i]?.keys[0] === "$sort") {
    sort = sortSpec(stages[i]?.values[0]);
    i++;
    for (; stages[i]?.keys[0] === "$match"; i++) filters.push(matchSpec(stages[i]?.values[0]));
  }
  let skip = 0;
  let limit: number | undefined;
  for (; stages[i]?.keys[0] === "$skip"; i++) skip += countSpec(stages[i] as Doc);
  for (; stages[i]?.keys[0] === "$limit"; i++)
    limit = Math.min(limit ?? Number.POSITIVE_INFINITY, countSpec(stages[i] as Doc));
  const filter =
    filters.length === 0 ? Doc.empty : filters.length === 1 ? (filters[0] as Doc) : Doc.of(["$and"], [filters]);
  return { filter, sort, skip, limit, rest: stages.slice(i) };
}

export function matchSpec(spec: Maybe): Doc {
  if (!(spec instanceof Doc)) throw new MongoFault(15959, "the match filter must be an expression in an object");
  return spec;
}

export function sortSpec(spec: Maybe): SortField[] {
  if (!(spec instanceof Doc)) throw new MongoFault(15973, "the $sort key specification must be an object");
  if (spec.size === 0) throw new MongoFault(15976, "$sort stage must have at least one sort key");
  return readSort(spec, "$sort");
}

export function countSpec(stage: Doc): number {
  const name = stage.keys[0];
  const value = toInteger(stage.values[0]);
  if (name === "$limit") {
    if (value === undefined)
      throw new MongoFault(
        5107201,
        `invalid argument to $limit stage: Expected an integer: $limit: ${typeName(stage.values[0])}`,
      );
    if (value <= 0) throw new MongoFault(15958, "the limit must be positive");
    return value;
  }
  if (value === undefined || value < 0)
    throw new MongoFault(5107200, "invalid argument to $skip stage: Expected a non-negative number");
  return value;
}

function compileStage(stage: Doc, scope: PipelineScope): Stage {
  const name = stage.keys[0] as string;
  return stageNamed(name)(stage.values[0] as Value, scope, name);
}

/** All the documents of a source. */
export function drain(source: Source): Doc[] {
  const docs: Doc[] = [];
  for (let doc = source(); doc !== undefined; doc = source()) docs.push(doc);
  return docs;
}

/** A source that is computed as a whole when its first document is asked for. */
export function lazily(make: () => readonly Doc[]): Source {
  let docs: readonly Doc[] | undefined;
  let at = 0;
  return () => {
    docs ??= make();
    return docs[at++];
  };
}
