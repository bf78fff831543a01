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
  /** Records that the transaction sees differently. */
  readonly overlay: Overlay | undefined;
  readonly plan: Plan;
  readonly matches: Matcher;
  /** Steps of the filter for one document. */
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
 * Runs a plan on what is stored when it begins: later writes are never visible, neither in a cursor nor in a read that
 * yields. Before it first yields it collects the remaining records, and tests them later.
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
 * Passes the visited records to `collect`. The visit itself cannot yield, since writes may change what it walks
 * through. When the slice is over it gathers the remaining records, which are passed to `collect` after the yield.
 */
function* visitYielding(visit: (visitor: RecordVisitor) => boolean, collect: RecordVisitor): Coroutine<void> {
  const remaining = visitUntilYield(visit, collect);
  if (remaining !== undefined) yield* visitRemaining(remaining, collect);
}

export interface Remaining {
  readonly rids: number[];
  readonly docs: Doc[];
}

/** Visits until the slice is over, and returns the remaining records. Most visits have none. */
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

/** Keeps the matching records, and sorts them if the plan does not. */
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

/** Visits each record once, since several keys may refer to it. */
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
