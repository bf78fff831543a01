import { findCollection, overlayFor } from "../execution/collections.ts";
import { type Source, sourceOf } from "../execution/cursors.ts";
import { compileWithCost } from "../foundation/budget.ts";
import type { Coroutine } from "../foundation/coroutine.ts";
import { MongoFault } from "../foundation/fault.ts";
import { compileFilter } from "../match/filter.ts";
import { type Constraint, constraintsOf } from "../query/constraints.ts";
import { type Counters, read } from "../query/execute.ts";
import type { Plan } from "../query/plan.ts";
import { plan } from "../query/planner.ts";
import type { Collection } from "../storage/catalog.ts";
import { isView, resolveView } from "../storage/views.ts";
import type { Doc } from "../values/document.ts";
import type { Value } from "../values/types.ts";
import { viewsOf } from "./flow.ts";
import { type Head, headOf } from "./leading-stages.ts";
import { compileStage, type PipelineScope, type Stage } from "./stage.ts";
import { checkStages, isSelfContained } from "./stage-positions.ts";
import { temporaryIndexes } from "./temporary-index.ts";

/** A compiled pipeline. It can run many times, each time with a plan for the current variables. */
export interface Pipeline {
  open(): Coroutine<Source>;
  /** Runs the stages on given documents instead of the collection. */
  over(input: Source): Source;
  explain(): Coroutine<Explanation>;
}

export interface Explanation {
  readonly plan: Plan;
  readonly counters: Counters;
  readonly returned: number;
}

export const openPipeline = (scope: PipelineScope, stages: readonly Value[]): Coroutine<Source> =>
  compilePipeline(scope, stages).open();

export function compilePipeline(asked: PipelineScope, given: readonly Value[]): Pipeline {
  const { scope, viewStages } = throughView(asked);
  const stages = [...viewStages, ...checkStages(given, asked.inside)];
  return isSelfContained(stages, scope.collection) ? selfContained(stages, scope) : onCollection(stages, scope);
}

/** A view is its collection with the stages of the view first. */
function throughView(scope: PipelineScope): { scope: PipelineScope; viewStages: readonly Doc[] } {
  const { context, db, collection: name } = scope;
  const collection = name === undefined ? undefined : findCollection(context, db, name);
  if (collection === undefined || !isView(collection)) return { scope, viewStages: [] };
  const view = resolveView(collection);
  return { scope: { ...scope, collection: view.name }, viewStages: view.stages };
}

const chain = (stages: readonly Stage[], input: Source): Source =>
  stages.reduce((source, stage) => stage(source), input);

function selfContained(stages: readonly Doc[], scope: PipelineScope): Pipeline {
  const compiled = stages.map((stage) => compileStage(stage, scope));
  return {
    *open() {
      return chain(compiled, () => undefined);
    },
    over: (input) => chain(compiled, input),
    // biome-ignore lint/correctness/useYield: there is nothing to read.
    *explain() {
      return { plan: { kind: "nothing" }, counters: { keys: 0, docs: 0 }, returned: 0 };
    },
  };
}

function onCollection(stages: readonly Doc[], scope: PipelineScope): Pipeline {
  const { context, db, evaluation, collation, collection: name } = scope;
  if (name === undefined)
    throw new MongoFault("InvalidNamespace", "{aggregate: 1} is not valid for this pipeline; a collection is needed");
  const head = headOf(stages);
  const [matches, cost] = compileWithCost(() => compileFilter(head.filter, evaluation));
  const rest = head.rest.map((stage) => compileStage(stage, scope));
  const planOf = planner(head, scope);
  let whole: Stage[] | undefined;
  const readHead = function* (): Coroutine<{ docs: Doc[]; plan: Plan; counters: Counters }> {
    const collection = findCollection(context, db, name);
    const counters: Counters = { keys: 0, docs: 0 };
    if (collection === undefined) return { docs: [], plan: { kind: "nothing" }, counters };
    const chosen = yield* planOf(collection);
    const overlay = overlayFor(context, collection);
    const found = yield* read({
      ...head,
      collection,
      plan: chosen,
      matches,
      cost,
      counters,
      order: collation?.order,
      overlay,
    });
    return { docs: found.map(({ doc }) => doc), plan: chosen, counters };
  };
  return {
    *open() {
      const { docs } = yield* readHead();
      return chain(rest, rest.length === 0 ? sourceOf(docs) : viewsOf(docs));
    },
    over(input) {
      whole ??= stages.map((stage) => compileStage(stage, scope));
      return chain(whole, input);
    },
    *explain() {
      const { docs, plan: chosen, counters } = yield* readHead();
      return { plan: chosen, counters, returned: docs.length };
    },
  };
}

function planner(
  { filter, sort, skip, limit }: Head,
  scope: PipelineScope,
): (collection: Collection) => Coroutine<Plan> {
  const { context, evaluation, collation, hint } = scope;
  const temporary = temporaryIndexes();
  const needed = limit === undefined ? undefined : limit + skip;
  return function* (collection) {
    const chosen = plan(collection, { ...evaluation, filter, sort, limit: needed, hint, collation });
    if (chosen.kind !== "scan" || hint !== undefined || overlayFor(context, collection)?.size) return chosen;
    const constraints = (): Constraint[] => constraintsOf(filter, evaluation.scope, evaluation.frame);
    return (yield* temporary.improve(collection, collation, constraints)) ?? chosen;
  };
}
