import type { Matcher } from "../match/matcher.ts";
import { now, timeIsUp } from "../pace.ts";
import type { Collection } from "../storage/catalog.ts";
import type { Overlay } from "../transaction-views.ts";
import type { StringOrder } from "../values/compare.ts";
import type { Doc } from "../values/document.ts";
import type { IndexPlan, Plan } from "./plan.ts";
import { type SortField, sorter } from "./sort.ts";

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
  readonly sort: readonly SortField[];
  readonly order: StringOrder | undefined;
  readonly skip: number;
  readonly limit: number | undefined;
  readonly deadline: number;
  readonly counters: Counters;
}

export interface Counters {
  keys: number;
  docs: number;
}

export const noDeadline = Number.POSITIVE_INFINITY;

export function checkDeadline(deadline: number): void {
  if (deadline !== noDeadline && now() > deadline) throw timeIsUp();
}

const isNatural = (sort: readonly SortField[]): boolean => sort.length === 1 && sort[0]?.path === "$natural";

/** Returns true to stop. */
type Visit = (rid: number) => boolean;

/** Runs a plan. Everything is read at once, so that later writes never show in a cursor. */
export function read(reading: Reading): Found[] {
  const { overlay, skip, collection } = reading;
  const needed = reading.limit === undefined ? undefined : reading.limit + skip;
  if (needed === 0) return [];
  const { offer, done } = collector(reading, needed);
  const { records } = collection;
  let stopped: boolean;
  if (overlay === undefined || overlay.size === 0)
    stopped = visitAll(reading, (rid) => offer(rid, records.get(rid) as Doc));
  else {
    stopped = visitAll(reading, (rid) => !overlay.has(rid) && offer(rid, records.get(rid) as Doc));
    for (const [rid, doc] of overlay) {
      if (stopped) break;
      stopped = doc !== null && offer(rid, doc);
    }
  }
  const result = done();
  return skip > 0 ? result.slice(skip) : result;
}

interface Collector {
  offer(rid: number, doc: Doc): boolean;
  done(): Found[];
}

/** Keeps what matches; where the plan gives no order, it is made here. */
function collector(
  { plan, sort, order, matches, counters, deadline, overlay }: Reading,
  needed: number | undefined,
): Collector {
  const isSorted = sort.length === 0 || isNatural(sort) || (plan.kind === "index" && plan.sorted && !overlay?.size);
  const found: Found[] = [];
  const sorting = isSorted ? undefined : sorter<Found>(sort, order, needed);
  let visited = 0;
  return {
    offer(rid, doc) {
      if ((++visited & 511) === 0) checkDeadline(deadline);
      counters.docs++;
      if (!matches(doc)) return false;
      if (sorting === undefined) return found.push({ rid, doc }) === needed;
      sorting.add(doc, { rid, doc });
      return false;
    },
    done: () => sorting?.done() ?? found,
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
