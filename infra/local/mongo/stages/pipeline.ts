import type { Collation } from "../collation.ts";
import type { Source } from "../cursors.ts";
import { type Evaluation, findCollection, type Operating, overlayFor } from "../engine.ts";
import { MongoFault, unsupported } from "../fault.ts";
import { compileFilter, type Matcher } from "../match/filter.ts";
import { isKnownElsewhere, isListed } from "../operators.ts";
import { constraintsOf } from "../query/constraints.ts";
import { type Counters, read } from "../query/execute.ts";
import { type Plan, plan } from "../query/planner.ts";
import { readSort, type SortField } from "../query/sort.ts";
import type { Collection } from "../storage/catalog.ts";
import { isView, resolveView } from "../storage/views.ts";
import { Doc } from "../values/document.ts";
import { toInteger } from "../values/numbers.ts";
import { typeName } from "../values/type-names.ts";
import type { Maybe, Value } from "../values/types.ts";
import { temporaryIndexes } from "./temporary-index.ts";

export interface PipelineOptions {
  readonly hint?: Maybe;
  readonly collation?: Collation | undefined;
  /** Only checks: nothing is read. */
  readonly readOnly?: boolean;
  /** The pipeline is part of another one, where some stages have no place. */
  readonly inside?: string;
}

/** What the stages of one pipeline share. */
export interface PipelineScope {
  readonly operating: Operating;
  readonly db: string;
  readonly collection: string | undefined;
  readonly evaluation: Evaluation;
  readonly collation: Collation | undefined;
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

export function openPipeline(
  operating: Operating,
  db: string,
  name: string | undefined,
  stages: readonly Value[],
  evaluation: Evaluation,
  options: PipelineOptions,
): Source {
  return compilePipeline(operating, db, name, stages, evaluation, options).open();
}

interface Head {
  readonly filter: Doc;
  readonly sort: readonly SortField[];
  readonly skip: number;
  readonly limit: number | undefined;
  readonly rest: readonly Doc[];
}

export function compilePipeline(
  operating: Operating,
  db: string,
  requested: string | undefined,
  given: readonly Value[],
  evaluation: Evaluation,
  options: PipelineOptions,
): Pipeline {
  const asked = requested === undefined ? undefined : findCollection(operating, db, requested);
  const view = asked !== undefined && isView(asked) ? resolveView(asked) : undefined;
  const name = view?.name ?? requested;
  const stages = [...(view?.stages ?? []), ...checkStages(given, options.inside)];
  const scope: PipelineScope = { operating, db, collection: name, evaluation, collation: options.collation };
  const starting = startingStage(stages, name);
  if (starting) {
    const compiled = stages.map((stage) => compileStage(stage, scope));
    const run = (input: Source): Source => compiled.reduce((source, stage) => stage(source), input);
    return {
      open: () => run(() => undefined),
      over: run,
      explain: () => ({ plan: { kind: "nothing" }, counters: { keys: 0, docs: 0 }, returned: 0 }),
    };
  }
  if (name === undefined)
    throw new MongoFault(73, "{aggregate: 1} is not valid for this pipeline; a collection is needed");
  const head = headOf(stages);
  const matches = compileFilter(head.filter, evaluation);
  const rest = head.rest.map((stage) => compileStage(stage, scope));
  const all = stages.map((stage) => () => compileStage(stage, scope));
  let whole: Stage[] | undefined;
  const temporary = temporaryIndexes();
  const readHead = (): { docs: Doc[]; plan: Plan; counters: Counters } => {
    const collection = findCollection(operating, db, name);
    const counters: Counters = { keys: 0, docs: 0 };
    if (collection === undefined) return { docs: [], plan: { kind: "nothing" }, counters };
    const chosen = choosePlan(collection, head, matches, scope, options, temporary);
    const found = read({
      collection,
      plan: chosen,
      matches,
      counters,
      sort: head.sort,
      order: options.collation?.order,
      skip: head.skip,
      limit: head.limit,
      deadline: operating.deadline,
      overlay: overlayFor(operating, collection),
    });
    return { docs: found.map(({ doc }) => doc), plan: chosen, counters };
  };
  return {
    open() {
      const { docs } = readHead();
      let at = 0;
      const source: Source = rest.length === 0 ? () => docs[at++] : () => docs[at++]?.view();
      return rest.reduce((input, stage) => stage(input), source);
    },
    over(input) {
      whole ??= all.map((compileLater) => compileLater());
      return whole.reduce((source, stage) => stage(source), input);
    },
    explain() {
      const { docs, plan: chosen, counters } = readHead();
      return { plan: chosen, counters, returned: docs.length };
    },
  };
}

function choosePlan(
  collection: Collection,
  head: Head,
  matches: Matcher,
  scope: PipelineScope,
  options: PipelineOptions,
  temporary: ReturnType<typeof temporaryIndexes>,
): Plan {
  void matches;
  const { evaluation } = scope;
  const chosen = plan(collection, {
    filter: head.filter,
    sort: head.sort,
    limit: head.limit === undefined ? undefined : head.limit + head.skip,
    hint: options.hint,
    collation: options.collation,
    scope: evaluation.scope,
    frame: evaluation.frame,
  });
  if (chosen.kind !== "scan" || options.hint !== undefined || overlayFor(scope.operating, collection)?.size)
    return chosen;
  return (
    temporary.improve(scope.operating.engine, collection, options.collation, () =>
      constraintsOf(head.filter, evaluation.scope, evaluation.frame),
    ) ?? chosen
  );
}

function startingStage(stages: readonly Doc[], name: string | undefined): boolean {
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
      if (isKnownElsewhere(name)) throw unsupported(name);
      throw new MongoFault(40324, `Unrecognized pipeline stage name: '${name}'`);
    }
    if (onlyFirst.has(name) && i > 0)
      throw new MongoFault(40602, `${name} is only valid as the first stage in a pipeline`);
    if (onlyLast.has(name)) {
      if (inside !== undefined)
        throw new MongoFault(
          inside === "$lookup" ? 51047 : inside === "$facet" ? 40600 : 31441,
          `${name} is not allowed within a ${inside} stage's sub-pipeline`,
        );
      throw new MongoFault(40601, `${name} can only be the final stage in the pipeline`);
    }
    if (inside === "$facet" && (name === "$facet" || onlyFirst.has(name)))
      throw new MongoFault(40600, `${name} is not allowed to be used within a $facet stage`);
    return stage;
  });
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
