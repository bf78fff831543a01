import { MongoFault } from "../fault.ts";
import type { Matcher } from "../match/filter.ts";
import type { Collection } from "../storage/catalog.ts";
import type { Overlay } from "../transactions.ts";
import type { StringOrder } from "../values/compare.ts";
import type { Doc } from "../values/document.ts";
import type { Plan } from "./planner.ts";
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
  if (deadline !== noDeadline && Date.now() > deadline) throw new MongoFault(50, "operation exceeded time limit");
}

/** Runs a plan. Everything is read at once, so that later writes never show in a cursor. */
export function read(reading: Reading): Found[] {
  const { plan, overlay, sort, limit, skip, collection, matches, counters } = reading;
  const hasOverlay = overlay !== undefined && overlay.size > 0;
  const sorted =
    sort.length === 0 ||
    (sort.length === 1 && sort[0]?.path === "$natural") ||
    (plan.kind === "index" && plan.sorted && !hasOverlay);
  const needed = limit === undefined ? undefined : limit + skip;
  const found: Found[] = [];
  const sorting = sorted ? undefined : sorter<Found>(sort, reading.order, needed);
  const { records } = collection;
  let visited = 0;
  const offer = (rid: number, doc: Doc): boolean => {
    if ((++visited & 511) === 0) checkDeadline(reading.deadline);
    counters.docs++;
    if (!matches(doc)) return false;
    if (sorting !== undefined) {
      sorting.add(doc, { rid, doc });
      return false;
    }
    found.push({ rid, doc });
    return found.length === needed;
  };
  if (needed === undefined || needed > 0) {
    const visit = hasOverlay
      ? (rid: number): boolean => !overlay.has(rid) && offer(rid, records.get(rid) as Doc)
      : (rid: number): boolean => offer(rid, records.get(rid) as Doc);
    const backward = sort.length === 1 && sort[0]?.path === "$natural" && sort[0].direction === -1;
    const stopped = visitPlan(collection, plan, visit, offer, hasOverlay ? overlay : undefined, counters, backward);
    if (!stopped && hasOverlay) for (const [rid, doc] of overlay) if (doc !== null && offer(rid, doc)) break;
  }
  const result = sorting === undefined ? found : sorting.done();
  return skip > 0 ? result.slice(skip) : result;
}

function visitPlan(
  collection: Collection,
  plan: Plan,
  visit: (rid: number) => boolean,
  offer: (rid: number, doc: Doc) => boolean,
  overlay: Overlay | undefined,
  counters: Counters,
  backward: boolean,
): boolean {
  if (plan.kind === "nothing") return true;
  if (plan.kind === "scan") {
    if (backward) {
      for (const rid of [...collection.records.keys()].reverse()) if (visit(rid)) return true;
      return false;
    }
    for (const [rid, doc] of collection.records) if (!overlay?.has(rid) && offer(rid, doc)) return true;
    return false;
  }
  const plans = plan.kind === "or" ? plan.plans : [plan];
  const repeats = plan.kind === "or" || plan.index.multikey.includes(true);
  const seen = new Set<number>();
  const once = (rid: number): boolean => {
    counters.keys++;
    if (!repeats) return visit(rid);
    if (seen.has(rid)) return false;
    seen.add(rid);
    return visit(rid);
  };
  for (const { index, ranges, backward: reversed } of plans) {
    index.accesses++;
    if (reversed) {
      for (let i = ranges.length - 1; i >= 0; i--) {
        const range = ranges[i] as (typeof ranges)[number];
        if (index.list.scanBack(range.low, range.high, once)) return true;
      }
    } else for (const range of ranges) if (index.list.scan(range.low, range.high, once)) return true;
  }
  return false;
}
