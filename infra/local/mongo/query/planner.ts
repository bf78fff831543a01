import type { Collation } from "../collation.ts";
import type { Frame, Scope } from "../expressions/compile.ts";
import { MongoFault } from "../fault.ts";
import type { Index, Key } from "../index/index.ts";
import { type Edge, everything, type Interval, type Range } from "../index/key-space.ts";
import type { Collection } from "../storage/catalog.ts";
import { equals } from "../values/compare.ts";
import { Doc } from "../values/document.ts";
import { encodeKey } from "../values/key.ts";
import { isNumeric, toNumber } from "../values/numbers.ts";
import { arrayIndex } from "../values/paths.ts";
import type { Maybe, Value } from "../values/types.ts";
import { type Constraint, constraintsOf } from "./constraints.ts";
import type { SortField } from "./sort.ts";

export type Plan =
  | { readonly kind: "scan" }
  | { readonly kind: "nothing" }
  | IndexPlan
  | { readonly kind: "or"; readonly plans: readonly IndexPlan[] };

export interface IndexPlan {
  readonly kind: "index";
  readonly index: Index;
  readonly ranges: readonly Range<Key>[];
  readonly backward: boolean;
  readonly sorted: boolean;
  readonly estimate: number;
}

export interface Question {
  readonly filter: Doc;
  readonly sort: readonly SortField[];
  readonly limit: number | undefined;
  readonly hint: Maybe;
  readonly collation: Collation | undefined;
  readonly scope: Scope;
  readonly frame: Frame;
}

const rangeLimit = 2000;

export function plan(collection: Collection, question: Question): Plan {
  const constraints = constraintsOf(question.filter, question.scope, question.frame);
  const candidates = hinted(collection, question.hint) ?? collection.indexes.filter((index) => !index.hidden);
  if (candidates === "scan") return { kind: "scan" };
  const best = chooseIndex(candidates, constraints, question, collection.records.size);
  if (question.hint !== undefined) return best ?? forced(candidates[0] as Index);
  const selective = best?.estimate ?? Number.POSITIVE_INFINITY;
  if (selective > 16) {
    const either = planOr(candidates, question);
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
  if (index === undefined) throw new MongoFault(2, "error processing query: planner returned error: bad hint");
  return [index];
}

/** A hinted index that helps nothing is read from end to end; documents it does not hold are not found, as on the server. */
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
  question: Question,
  total: number,
): IndexPlan | undefined {
  let best: IndexPlan | undefined;
  let bestCost = Number.POSITIVE_INFINITY;
  let narrowest = total;
  const plans: IndexPlan[] = [];
  for (const index of indexes) {
    const candidate = planIndex(index, constraints, question);
    if (candidate === undefined) continue;
    plans.push(candidate);
    narrowest = Math.min(narrowest, candidate.estimate);
    // One row by a unique key cannot be beaten.
    if (candidate.estimate <= 1 && (question.sort.length === 0 || candidate.sorted)) return candidate;
  }
  for (const candidate of plans) {
    const cost = costOf(candidate, question, total, narrowest);
    if (cost < bestCost) {
      best = candidate;
      bestCost = cost;
    }
  }
  return best;
}

/** Records read, plus what sorting them costs; in sorted order a limit stops the reading early. */
function costOf(candidate: IndexPlan, { sort, limit }: Question, total: number, narrowest: number): number {
  if (sort.length === 0)
    return limit === undefined ? candidate.estimate : Math.min(candidate.estimate, candidate.estimate / 2 + limit);
  if (!candidate.sorted) return candidate.estimate * 1.5 + 1;
  if (limit === undefined) return candidate.estimate;
  const share = Math.max(narrowest, 1) / Math.max(total, 1);
  return Math.min(candidate.estimate, limit / Math.max(share * (total / Math.max(candidate.estimate, 1)), 1e-6));
}

function planOr(indexes: readonly Index[], question: Question): { kind: "or"; plans: IndexPlan[] } | undefined {
  const clauses = question.filter.get("$or");
  if (!Array.isArray(clauses)) return undefined;
  const plans: IndexPlan[] = [];
  for (const clause of clauses) {
    if (!(clause instanceof Doc)) return undefined;
    const part = { ...question, filter: clause, sort: [], limit: undefined };
    const best = chooseIndex(
      indexes,
      constraintsOf(clause, question.scope, question.frame),
      part,
      Number.POSITIVE_INFINITY,
    );
    if (best === undefined) return undefined;
    plans.push(best);
  }
  return { kind: "or", plans };
}

const dependsOnCollation = (value: Maybe): boolean =>
  typeof value === "string" || value instanceof Doc || Array.isArray(value);

/** "a.1" is an element or a field; a filter tries both, an index holds one of them. */
const isAmbiguous = (index: Index): boolean =>
  index.components.some(({ parts }) => parts.some((part, i) => i > 0 && arrayIndex(part) >= 0));

function planIndex(index: Index, constraints: readonly Constraint[], question: Question): IndexPlan | undefined {
  if (isAmbiguous(index)) return undefined;
  if (index.partial !== undefined && !implies(constraints, index.partial.filter, question)) return undefined;
  const sameCollation = index.collation?.name === question.collation?.name;
  const chosen = chooseConstraints(index, constraints, sameCollation);
  if (index.sparse && !chosen.some(excludesMissing)) return undefined;
  const hasSort = question.sort.length > 0;
  const direction = hasSort && sameCollation ? sortDirection(index, chosen, question.sort) : 0;
  if (chosen.length === 0 && direction === 0 && index.partial === undefined) return undefined;
  const ranges = rangesOf(index, chosen);
  if (ranges === undefined) return undefined;
  return {
    kind: "index",
    index,
    ranges,
    backward: direction < 0,
    sorted: direction !== 0 || !hasSort,
    estimate: isOneRecord(index, chosen)
      ? 1
      : ranges.reduce((sum, { low, high }) => sum + index.list.estimate(low, high), 0),
  };
}

/** A constraint for each of the leading components, as long as all but the last are exact values. */
function chooseConstraints(index: Index, constraints: readonly Constraint[], sameCollation: boolean): Constraint[] {
  const chosen: Constraint[] = [];
  const arrays = new Set<string>();
  for (const [i, { path, parts }] of index.components.entries()) {
    const usable = constraints.filter(
      (constraint) => constraint.path === path && (sameCollation || !touchesText(constraint)),
    );
    const isArray = index.multikey[i] === true;
    // Two bounds on arrays under one root may be met by different elements.
    if (usable.length === 0 || (isArray && arrays.has(parts[0] as string))) break;
    if (isArray) arrays.add(parts[0] as string);
    const constraint = isArray ? tightest(usable) : combined(usable, index);
    chosen.push(constraint);
    if (constraint.points === undefined) break;
  }
  return chosen;
}

const excludesMissing = ({ points }: Constraint): boolean =>
  points === undefined || points.every((value) => value !== null && value !== undefined);

const isOneRecord = (index: Index, chosen: readonly Constraint[]): boolean =>
  index.unique && chosen.length === index.components.length && chosen.every(({ points }) => points?.length === 1);

function touchesText(constraint: Constraint): boolean {
  return constraint.intervals.some(({ low, high }) =>
    [low, high].some((edge) =>
      edge.at === "value"
        ? dependsOnCollation(edge.value)
        : edge.at === "type" && (edge.rank === 15 || edge.rank === 20),
    ),
  );
}

const tightest = (usable: readonly Constraint[]): Constraint =>
  usable.find((constraint) => constraint.points?.length === 1) ??
  usable.find((constraint) => constraint.points !== undefined) ??
  (usable[0] as Constraint);

/** One range out of a lower and an upper bound. Anything more is left to the filter. */
function combined(usable: readonly Constraint[], index: Index): Constraint {
  const points = usable.filter((constraint) => constraint.points !== undefined);
  if (points.length > 0) return tightest(usable);
  const [first] = usable as [Constraint];
  if (usable.length === 1 || usable.some(({ intervals }) => intervals.length !== 1)) return first;
  const intervals = usable.map((constraint) => constraint.intervals[0] as Interval);
  const low = intervals.map((interval) => interval.low).reduce((a, b) => tighter(a, b, index, 1));
  const high = intervals.map((interval) => interval.high).reduce((a, b) => tighter(a, b, index, -1));
  return { path: first.path, intervals: [{ low, high }], points: undefined };
}

/** Of two edges the one that leaves less; `sign` is 1 for lower edges. A value is tighter than the edge of a type. */
function tighter(a: Edge, b: Edge, index: Index, sign: 1 | -1): Edge {
  if (b.at !== "value") return a;
  if (a.at !== "value") return b;
  const order = index.space.orderOf(b.value, a.value) * sign;
  return order > 0 || (order === 0 && !b.inclusive) ? b : a;
}

/** The ranges to read, in index order and without overlap. */
function rangesOf(index: Index, chosen: readonly Constraint[]): Range<Key>[] | undefined {
  let prefixes: Maybe[][] = [[]];
  for (let i = 0; i < chosen.length - 1; i++) {
    const points = ordered(index, i, (chosen[i] as Constraint).points ?? []);
    if (prefixes.length * points.length > rangeLimit) return undefined;
    prefixes = prefixes.flatMap((prefix) => points.map((value) => [...prefix, value]));
  }
  const last = chosen.at(-1);
  if (last === undefined) return [index.space.range([], everything)];
  const at = chosen.length - 1;
  const intervals =
    last.points === undefined
      ? last.intervals
      : ordered(index, at, last.points).map((value) => ({ low: edgeAt(value), high: edgeAt(value) }));
  const inOrder =
    last.points === undefined && index.components[at]?.direction === -1 ? intervals.toReversed() : intervals;
  return prefixes.flatMap((prefix) => inOrder.map((interval) => index.space.range(prefix, interval)));
}

const edgeAt = (value: Maybe): Interval["low"] => ({ at: "value", value, inclusive: true });

function ordered(index: Index, component: number, points: readonly Maybe[]): Maybe[] {
  if (points.length === 1) return points as Maybe[];
  const direction = index.components[component]?.direction ?? 1;
  const sorted = points.toSorted((a, b) => index.space.orderOf(a, b) * direction);
  return sorted.filter((value, i) => i === 0 || index.space.orderOf(sorted[i - 1], value) !== 0);
}

/** 1 or -1 if the index delivers the sort forwards or backwards, else 0. */
function sortDirection(index: Index, chosen: readonly Constraint[], sort: readonly SortField[]): number {
  let direction = 0;
  let component = 0;
  const isSingle = (i: number): boolean => chosen[i]?.points?.length === 1 && index.multikey[i] !== true;
  for (const field of sort) {
    if (isFixed(index, field, isSingle)) continue;
    // Components with one value stand in no one's way.
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

/** Whether all records that are read have the same value in the field. */
const isFixed = (index: Index, field: SortField, isSingle: (i: number) => boolean): boolean =>
  index.components.some(({ path }, i) => path === field.path && isSingle(i));

/** Whether every document that matches the filter is surely in a partial index. */
function implies(constraints: readonly Constraint[], partial: Doc, question: Question): boolean {
  return partial.keys.every((path, i) => {
    const value = partial.values[i] as Value;
    if (path === "$and")
      return Array.isArray(value) && value.every((part) => part instanceof Doc && implies(constraints, part, question));
    if (path.startsWith("$")) return false;
    if (equals(question.filter.get(path), value) && question.collation === undefined) return true;
    const own = constraints.filter((constraint) => constraint.path === path);
    if (!(value instanceof Doc) || !value.keys[0]?.startsWith("$"))
      return own.some(({ points }) => points?.length === 1 && sure(points[0], question) && equals(points[0], value));
    return value.keys.every((operator, k) =>
      own.some((constraint) => satisfies(constraint, operator, value.values[k] as Value, question)),
    );
  });
}

const sure = (value: Maybe, question: Question): boolean =>
  question.collation === undefined || !dependsOnCollation(value);

function satisfies({ points, intervals }: Constraint, operator: string, operand: Value, question: Question): boolean {
  const isPresent = (value: Maybe): boolean => value !== null && value !== undefined;
  if (operator === "$exists") return points === undefined ? intervals.length > 0 : points.every(isPresent);
  if (points === undefined || !points.every((value) => sure(value, question)))
    return rangeWithin(intervals, operator, operand, question);
  if (operator === "$eq") return points.every((value) => equals(value, operand));
  if (operator === "$in")
    return (
      Array.isArray(operand) && points.every((value) => operand.some((item) => encodeKey(item) === encodeKey(value)))
    );
  return points.every((value) => isPresent(value) && within(value, operator, operand));
}

function rangeWithin(intervals: readonly Interval[], operator: string, operand: Value, question: Question): boolean {
  if (!sure(operand, question)) return false;
  return intervals.every(({ low, high }) => {
    if (operator === "$gt" || operator === "$gte") {
      if (low.at !== "value") return false;
      return (
        within(low.value, operator, operand) ||
        (operator === "$gt" && !low.inclusive && within(low.value, "$gte", operand))
      );
    }
    if (operator === "$lt" || operator === "$lte") {
      if (high.at !== "value") return false;
      return (
        within(high.value, operator, operand) ||
        (operator === "$lt" && !high.inclusive && within(high.value, "$lte", operand))
      );
    }
    return false;
  });
}

/** Compared only where the order is plain: numbers with numbers, strings with strings, dates with dates. */
function within(value: Maybe, operator: string, operand: Value): boolean {
  const a = isNumeric(value) && isNumeric(operand) ? toNumber(value) - toNumber(operand) : encodedOrder(value, operand);
  switch (operator) {
    case "$gt":
      return a > 0;
    case "$gte":
      return a >= 0;
    case "$lt":
      return a < 0;
    case "$lte":
      return a <= 0;
    default:
      return false;
  }
}

function encodedOrder(a: Maybe, b: Maybe): number {
  const x = encodeKey(a);
  const y = encodeKey(b);
  return x[0] !== y[0] ? Number.NaN : x < y ? -1 : x > y ? 1 : 0;
}
