import { MongoFault } from "../foundation/fault.ts";
import type { Index, Key } from "../index/index.ts";
import { everything, type Range } from "../index/key-space.ts";
import type { Collection } from "../storage/catalog.ts";
import { equals } from "../values/compare.ts";
import { Doc } from "../values/document.ts";
import { arrayIndex } from "../values/paths.ts";
import type { SortField } from "../values/sort.ts";
import type { Maybe } from "../values/types.ts";
import { type Constraint, constraintsOf } from "./constraints.ts";
import { chooseConstraints, rangesOf } from "./index-ranges.ts";
import { implies } from "./partial-indexes.ts";
import type { CanonicalQuery, IndexPlan, Plan } from "./plan.ts";

export function plan(collection: Collection, query: CanonicalQuery): Plan {
  const constraints = constraintsOf(query.filter, query.scope, query.frame);
  const candidates = hinted(collection, query.hint) ?? collection.indexes.filter((index) => !index.hidden);
  if (candidates === "scan") return { kind: "scan" };
  const best = chooseIndex(candidates, constraints, query, collection.records.size);
  if (query.hint !== undefined) return best ?? forced(candidates[0] as Index);
  const selective = best?.estimate ?? Number.POSITIVE_INFINITY;
  if (selective > 16) {
    const either = planOr(candidates, query);
    if (either !== undefined && either.plans.reduce((sum, part) => sum + part.estimate, 0) < selective) return either;
  }
  return best ?? { kind: "scan" };
}

function hinted(collection: Collection, hint: Maybe): Index[] | "scan" | undefined {
  if (hint === undefined || (hint instanceof Doc && hint.size === 0)) return undefined;
  if (hint instanceof Doc && hint.keys[0] === "$natural") return "scan";
  const index = collection.indexes.find((known) =>
    typeof hint === "string" ? known.name === hint : equals(known.spec.get("key"), hint),
  );
  if (index === undefined) throw new MongoFault("BadValue", "error processing query: planner returned error: bad hint");
  return [index];
}

/**
 * A hinted index without a usable range is read completely. Documents that it does not contain are not found, as in
 * MongoDB.
 */
function forced(index: Index): IndexPlan {
  return {
    kind: "index",
    index,
    ranges: [index.space.range([], everything)],
    backward: false,
    sorted: false,
    estimate: index.list.size,
  };
}

function chooseIndex(
  indexes: readonly Index[],
  constraints: readonly Constraint[],
  query: CanonicalQuery,
  total: number,
): IndexPlan | undefined {
  let best: IndexPlan | undefined;
  let bestCost = Number.POSITIVE_INFINITY;
  let narrowest = total;
  const plans: IndexPlan[] = [];
  for (const index of indexes) {
    const candidate = planIndex(index, constraints, query);
    if (candidate === undefined) continue;
    plans.push(candidate);
    narrowest = Math.min(narrowest, candidate.estimate);
    // A plan for one record is the best.
    if (candidate.estimate <= 1 && (query.sort.length === 0 || candidate.sorted)) return candidate;
  }
  for (const candidate of plans) {
    const cost = costOf(candidate, query, total, narrowest);
    if (cost < bestCost) {
      best = candidate;
      bestCost = cost;
    }
  }
  return best;
}

/** The cost: records read, plus sorting. In sorted order a limit ends the read early. */
function costOf(candidate: IndexPlan, { sort, limit }: CanonicalQuery, total: number, narrowest: number): number {
  if (sort.length === 0)
    return limit === undefined ? candidate.estimate : Math.min(candidate.estimate, candidate.estimate / 2 + limit);
  if (!candidate.sorted) return candidate.estimate * 1.5 + 1;
  if (limit === undefined) return candidate.estimate;
  const share = Math.max(narrowest, 1) / Math.max(total, 1);
  return Math.min(candidate.estimate, limit / Math.max(share * (total / Math.max(candidate.estimate, 1)), 1e-6));
}

function planOr(indexes: readonly Index[], query: CanonicalQuery): { kind: "or"; plans: IndexPlan[] } | undefined {
  const clauses = query.filter.get("$or");
  if (!Array.isArray(clauses)) return undefined;
  const plans: IndexPlan[] = [];
  for (const clause of clauses) {
    if (!(clause instanceof Doc)) return undefined;
    const part = { ...query, filter: clause, sort: [], limit: undefined };
    const best = chooseIndex(indexes, constraintsOf(clause, query.scope, query.frame), part, Number.POSITIVE_INFINITY);
    if (best === undefined) return undefined;
    plans.push(best);
  }
  return { kind: "or", plans };
}

/** "a.1" is an array element or a field. A filter tests both, an index contains one of them. */
const isAmbiguous = (index: Index): boolean =>
  index.components.some(({ parts }) => parts.some((part, i) => i > 0 && arrayIndex(part) >= 0));

function planIndex(index: Index, constraints: readonly Constraint[], query: CanonicalQuery): IndexPlan | undefined {
  if (isAmbiguous(index)) return undefined;
  if (index.partial !== undefined && !implies(constraints, index.partial.filter, query)) return undefined;
  const sameCollation = index.collation?.name === query.collation?.name;
  const chosen = chooseConstraints(index, constraints, sameCollation);
  if (index.sparse && !chosen.some(excludesMissing)) return undefined;
  const hasSort = query.sort.length > 0;
  const direction = hasSort && sameCollation ? sortDirection(index, chosen, query.sort) : 0;
  if (chosen.length === 0 && direction === 0 && index.partial === undefined) return undefined;
  const read = readOf(index, chosen);
  if (read === undefined) return undefined;
  return {
    kind: "index",
    index,
    get ranges() {
      return read.ranges();
    },
    backward: direction < 0,
    sorted: direction !== 0 || !hasSort,
    estimate: isOneRecord(index, chosen) ? 1 : read.estimate,
  };
}

interface Read {
  /** The entries in the ranges, about. */
  readonly estimate: number;
  ranges(): readonly Range<Key>[];
}

const estimateOf = ({ list }: Index, ranges: readonly Range<Key>[]): number =>
  ranges.reduce((sum, { low, high }) => sum + list.estimate(low, high), 0);

/** More exact values than this are estimated from a sample, and their ranges made when the plan is chosen. */
const sampled = 64;

function readOf(index: Index, chosen: readonly Constraint[]): Read | undefined {
  const [only] = chosen;
  const points = chosen.length === 1 ? only?.points : undefined;
  if (only === undefined || points === undefined || points.length <= sampled) {
    const ranges = rangesOf(index, chosen);
    return ranges && { estimate: estimateOf(index, ranges), ranges: () => ranges };
  }
  const step = points.length / sampled;
  const sample = Array.from({ length: sampled }, (_, i) => points[Math.floor(i * step)]);
  const part = rangesOf(index, [{ ...only, points: sample }]);
  let made: readonly Range<Key>[] | undefined;
  return (
    part && {
      estimate: Math.round(estimateOf(index, part) * step),
      ranges: () => (made ??= rangesOf(index, chosen) ?? []),
    }
  );
}

const excludesMissing = ({ points }: Constraint): boolean =>
  points === undefined || points.every((value) => value !== null && value !== undefined);

const isOneRecord = (index: Index, chosen: readonly Constraint[]): boolean =>
  index.unique && chosen.length === index.components.length && chosen.every(({ points }) => points?.length === 1);

/** 1 or -1 if the index has the order of the sort forwards or backwards, else 0. */
function sortDirection(index: Index, chosen: readonly Constraint[], sort: readonly SortField[]): number {
  let direction = 0;
  let component = 0;
  const isSingle = (i: number): boolean => chosen[i]?.points?.length === 1 && index.multikey[i] !== true;
  for (const field of sort) {
    if (isFixed(index, field, isSingle)) continue;
    // Components with a single value do not affect the order.
    while (index.components[component]?.path !== field.path && isSingle(component)) component++;
    const current = index.components[component];
    if (current === undefined || current.path !== field.path || index.multikey[component] === true) return 0;
    const wanted = current.direction * field.direction;
    if (direction !== 0 && wanted !== direction) return 0;
    direction = wanted;
    component++;
  }
  return direction || 1;
}

/** Whether all records of the plan have the same value in the field. */
const isFixed = (index: Index, field: SortField, isSingle: (i: number) => boolean): boolean =>
  index.components.some(({ path }, i) => path === field.path && isSingle(i));
