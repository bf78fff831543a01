import { charge, mustPause } from "../foundation/pace.ts";
import type { Routine } from "../foundation/routine.ts";
import type { Matcher } from "../match/matcher.ts";
import type { Collection } from "../storage/catalog.ts";
import type { Overlay } from "../storage/transaction-views.ts";
import type { StringOrder } from "../values/compare.ts";
import type { Doc } from "../values/document.ts";
import { type SortField, sorter } from "../values/sort.ts";
import type { IndexPlan, Plan } from "./plan.ts";

export interface Found {
  readonly rid: number;
  readonly doc: Doc;
}

export interface Reading {
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
export function* read(reading: Reading): Routine<Found[]> {
  const { overlay, skip, collection } = reading;
  const needed = reading.limit === undefined ? undefined : reading.limit + skip;
  if (needed === 0) return [];
  const { offer, done } = collector(reading, needed);
  const { records } = collection;
  const snapshot = reading.plan.kind === "index" ? reading.plan.snapshot : undefined;
  yield* visitInTurns((take) => {
    if (snapshot !== undefined)
      return visitAll(reading, (at) => take(snapshot.rids[at] as number, snapshot.docs[at] as Doc));
    if (overlay === undefined || overlay.size === 0)
      return visitAll(reading, (rid) => take(rid, records.get(rid) as Doc));
    let stopped = visitAll(reading, (rid) => !overlay.has(rid) && take(rid, records.get(rid) as Doc));
    for (const [rid, doc] of overlay) {
      if (stopped) break;
      stopped = doc !== null && take(rid, doc);
    }
    return stopped;
  }, offer);
  const result = yield* done();
  return skip > 0 ? result.slice(skip) : result;
}

/** Returns true to stop. */
type Take = (rid: number, doc: Doc) => boolean;

/**
 * Hands what a visit comes across to `offer`. The visit itself cannot pause, since writes may change what it walks through;
 * when the time is used up it goes on collecting, and what it collected is offered after the pause.
 */
function* visitInTurns(visit: (take: Take) => boolean, offer: Take): Routine<void> {
  const left = visitNow(visit, offer);
  if (left !== undefined) yield* visitLeft(left, offer);
}

export interface Left {
  readonly rids: number[];
  readonly docs: Doc[];
}

/** What can be visited in the time that there is. Most visits leave nothing. */
export function visitNow(visit: (take: Take) => boolean, offer: Take): Left | undefined {
  let left: Left | undefined;
  visit((rid, doc) => {
    if (left === undefined && !mustPause()) return offer(rid, doc);
    left ??= { rids: [], docs: [] };
    left.rids.push(rid);
    left.docs.push(doc);
    return false;
  });
  return left;
}

export function* visitLeft({ rids, docs }: Left, offer: Take): Routine<void> {
  for (let i = 0; i < docs.length; i++) {
    if (mustPause()) yield;
    if (offer(rids[i] as number, docs[i] as Doc)) return;
  }
}

interface Collector {
  readonly offer: Take;
  done(): Routine<Found[]>;
}

/** Keeps what matches; where the plan gives no order, it is made here. */
function collector(
  { plan, sort, order, matches, cost, counters, overlay }: Reading,
  needed: number | undefined,
): Collector {
  const isSorted = sort.length === 0 || isNatural(sort) || (plan.kind === "index" && plan.sorted && !overlay?.size);
  const found: Found[] = [];
  const sorting = isSorted ? undefined : sorter<Found>(sort, order, needed);
  return {
    offer(rid, doc) {
      counters.docs++;
      charge(cost);
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

function visitAll({ collection, plan, sort, counters }: Reading, visit: Visit): boolean {
  switch (plan.kind) {
    case "nothing":
      return true;
    case "scan":
      return visitRecords(collection, isNatural(sort) && sort[0]?.direction === -1, visit);
    case "or":
      return visitIndexes(plan.plans, once(visit), counters);
    case "index":
      return visitIndexes([plan], plan.index.multikey.includes(true) ? once(visit) : visit, counters);
  }
}

function visitRecords({ records }: Collection, backward: boolean, visit: Visit): boolean {
  for (const rid of backward ? [...records.keys()].reverse() : records.keys()) if (visit(rid)) return true;
  return false;
}

/** Several keys may lead to one record. */
function once(visit: Visit): Visit {
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
