import { countWork, shouldYield } from "../foundation/budget.ts";
import type { Coroutine } from "../foundation/coroutine.ts";
import type { Matcher } from "../match/matcher.ts";
import type { Collection } from "../storage/catalog.ts";
import type { Overlay } from "../storage/transaction-views.ts";
import type { StringOrder } from "../values/compare.ts";
import type { Doc } from "../values/document.ts";
import { type SortField, sorter } from "../values/sort.ts";
import type { IndexPlan, Plan } from "./plan.ts";

export interface FoundRecord {
  readonly rid: number;
  readonly doc: Doc;
}

export interface PlanExecution {
  readonly collection: Collection;
  /** What the transaction sees differently, if there is one. */
  readonly overlay: Overlay | undefined;
  readonly plan: Plan;
  readonly matches: Matcher;
  /** Steps that the filter takes for a document. */
  readonly cost: number;
  readonly sort: readonly SortField[];
  readonly order: StringOrder | undefined;
  readonly skip: number;
  readonly limit: number | undefined;
  readonly counters: Counters;
}

export interface Counters {
  keys: number;
  docs: number;
}

export const noDeadline = Number.POSITIVE_INFINITY;

const isNatural = (sort: readonly SortField[]): boolean => sort.length === 1 && sort[0]?.path === "$natural";

/** Returns true to stop. */
type Visit = (rid: number) => boolean;

/**
 * Runs a plan. What it finds is what is stored when it begins, so that later writes never show, neither in a cursor nor
 * in a read that has to give way half-way: the records that are left then are collected at once and looked at later.
 */
export function* read(execution: PlanExecution): Coroutine<FoundRecord[]> {
  const { overlay, skip, collection } = execution;
  const needed = execution.limit === undefined ? undefined : execution.limit + skip;
  if (needed === 0) return [];
  const { collect, done } = collector(execution, needed);
  const { records } = collection;
  const snapshot = execution.plan.kind === "index" ? execution.plan.snapshot : undefined;
  yield* visitYielding((visitor) => {
    if (snapshot !== undefined)
      return visitAll(execution, (at) => visitor(snapshot.rids[at] as number, snapshot.docs[at] as Doc));
    if (overlay === undefined || overlay.size === 0)
      return visitAll(execution, (rid) => visitor(rid, records.get(rid) as Doc));
    let stopped = visitAll(execution, (rid) => !overlay.has(rid) && visitor(rid, records.get(rid) as Doc));
    for (const [rid, doc] of overlay) {
      if (stopped) break;
      stopped = doc !== null && visitor(rid, doc);
    }
    return stopped;
  }, collect);
  const result = yield* done();
  return skip > 0 ? result.slice(skip) : result;
}

/** Returns true to stop. */
type RecordVisitor = (rid: number, doc: Doc) => boolean;

/**
 * Hands what a visit comes across to `offer`. The visit itself cannot pause, since writes may change what it walks through;
 * when the time is used up it goes on collecting, and what it collected is offered after the pause.
 */
function* visitYielding(visit: (visitor: RecordVisitor) => boolean, collect: RecordVisitor): Coroutine<void> {
  const remaining = visitUntilYield(visit, collect);
  if (remaining !== undefined) yield* visitRemaining(remaining, collect);
}

export interface Remaining {
  readonly rids: number[];
  readonly docs: Doc[];
}

/** What can be visited in the time that there is. Most visits leave nothing. */
export function visitUntilYield(
  visit: (visitor: RecordVisitor) => boolean,
  collect: RecordVisitor,
): Remaining | undefined {
  let remaining: Remaining | undefined;
  visit((rid, doc) => {
    if (remaining === undefined && !shouldYield()) return collect(rid, doc);
    remaining ??= { rids: [], docs: [] };
    remaining.rids.push(rid);
    remaining.docs.push(doc);
    return false;
  });
  return remaining;
}

export function* visitRemaining({ rids, docs }: Remaining, collect: RecordVisitor): Coroutine<void> {
  for (let i = 0; i < docs.length; i++) {
    if (shouldYield()) yield;
    if (collect(rids[i] as number, docs[i] as Doc)) return;
  }
}

interface Collector {
  readonly collect: RecordVisitor;
  done(): Coroutine<FoundRecord[]>;
}

/** Keeps what matches; where the plan gives no order, it is made here. */
function collector(
  { plan, sort, order, matches, cost, counters, overlay }: PlanExecution,
  needed: number | undefined,
): Collector {
  const isSorted = sort.length === 0 || isNatural(sort) || (plan.kind === "index" && plan.sorted && !overlay?.size);
  const found: FoundRecord[] = [];
  const sorting = isSorted ? undefined : sorter<FoundRecord>(sort, order, needed);
  return {
    collect(rid, doc) {
      counters.docs++;
      countWork(cost);
      if (!matches(doc)) return false;
      if (sorting === undefined) return found.push({ rid, doc }) === needed;
      sorting.add(doc, { rid, doc });
      return false;
    },
    *done() {
      return sorting === undefined ? found : yield* sorting.done();
    },
  };
}

function visitAll({ collection, plan, sort, counters }: PlanExecution, visit: Visit): boolean {
  switch (plan.kind) {
    case "nothing":
      return true;
    case "scan":
      return visitRecords(collection, isNatural(sort) && sort[0]?.direction === -1, visit);
    case "or":
      return visitIndexes(plan.plans, oncePerRecord(visit), counters);
    case "index":
      return visitIndexes([plan], plan.index.multikey.includes(true) ? oncePerRecord(visit) : visit, counters);
  }
}

function visitRecords({ records }: Collection, backward: boolean, visit: Visit): boolean {
  for (const rid of backward ? [...records.keys()].reverse() : records.keys()) if (visit(rid)) return true;
  return false;
}

/** Several keys may lead to one record. */
function oncePerRecord(visit: Visit): Visit {
  const seen = new Set<number>();
  return (rid) => {
    if (seen.has(rid)) return false;
    seen.add(rid);
    return visit(rid);
  };
}

function visitIndexes(plans: readonly IndexPlan[], visit: Visit, counters: Counters): boolean {
  const counted: Visit = (rid) => {
    counters.keys++;
    return visit(rid);
  };
  return plans.some(({ index: indexed, ranges, backward }) => {
    indexed.accesses++;
    if (!backward) return ranges.some(({ low, high }) => indexed.list.scan(low, high, counted));
    return ranges.toReversed().some(({ low, high }) => indexed.list.scanBack(low, high, counted));
  });
}
