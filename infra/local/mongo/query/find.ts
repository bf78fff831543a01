import { findCollection, overlayFor } from "../execution/collections.ts";
import type { CommandContext } from "../execution/context.ts";
import type { Evaluation } from "../execution/evaluation.ts";
import { compileWithCost } from "../foundation/budget.ts";
import type { Coroutine } from "../foundation/coroutine.ts";
import { compileFilter } from "../match/filter.ts";
import type { Collection } from "../storage/catalog.ts";
import type { Collation } from "../values/collation.ts";
import type { Doc } from "../values/document.ts";
import type { SortField } from "../values/sort.ts";
import type { Maybe } from "../values/types.ts";
import { type Counters, type FoundRecord, read } from "./execute.ts";
import type { Plan } from "./plan.ts";
import { plan } from "./planner.ts";

export interface Query {
  readonly filter: Doc;
  readonly sort?: readonly SortField[];
  readonly skip?: number;
  readonly limit?: number | undefined;
  readonly hint?: Maybe;
  readonly collation?: Collation | undefined;
}

export interface QueryResult {
  readonly plan: Plan;
  readonly counters: Counters;
  readonly found: FoundRecord[];
}

/** Plans and runs a query on one collection. */
export function* runQuery(
  context: CommandContext,
  collection: Collection,
  query: Query,
  evaluation: Evaluation,
): Coroutine<QueryResult> {
  const sort = query.sort ?? [];
  const [matches, cost] = compileWithCost(() => compileFilter(query.filter, evaluation));
  const chosen = plan(collection, {
    filter: query.filter,
    sort,
    limit: query.limit === undefined ? undefined : query.limit + (query.skip ?? 0),
    hint: query.hint,
    collation: query.collation,
    scope: evaluation.scope,
    frame: evaluation.frame,
  });
  const counters: Counters = { keys: 0, docs: 0 };
  const found = yield* read({
    collection,
    plan: chosen,
    matches,
    cost,
    sort,
    counters,
    overlay: overlayFor(context, collection),
    order: query.collation?.order,
    skip: query.skip ?? 0,
    limit: query.limit,
  });
  return { plan: chosen, counters, found };
}

/** Finds records in a collection that may not exist. The filter is checked in any case. */
export function* findRecords(
  context: CommandContext,
  db: string,
  name: string,
  query: Query,
  evaluation: Evaluation,
): Coroutine<FoundRecord[]> {
  const collection = findCollection(context, db, name);
  if (collection !== undefined) return (yield* runQuery(context, collection, query, evaluation)).found;
  compileFilter(query.filter, evaluation);
  return [];
}
