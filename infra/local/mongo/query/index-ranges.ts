import type { Index, Key } from "../index/index.ts";
import { type Edge, everything, type Interval, type Range } from "../index/key-space.ts";
import { dependsOnCollation } from "../values/collation.ts";
import type { Maybe } from "../values/types.ts";
import type { Constraint } from "./constraints.ts";

const rangeLimit = 2000;

/** A constraint for each leading component, while all but the last are exact values. */
export function chooseConstraints(
  index: Index,
  constraints: readonly Constraint[],
  sameCollation: boolean,
): Constraint[] {
  const chosen: Constraint[] = [];
  const arrays = new Set<string>();
  for (const [i, { path, parts }] of index.components.entries()) {
    const usable = constraints.filter(
      (constraint) => constraint.path === path && (sameCollation || !touchesText(constraint)),
    );
    const isArray = index.multikey[i] === true;
    // Two bounds under one array may be met by different elements.
    if (usable.length === 0 || (isArray && arrays.has(parts[0] as string))) break;
    if (isArray) arrays.add(parts[0] as string);
    const constraint = isArray ? tightest(usable) : combined(usable, index);
    chosen.push(constraint);
    if (constraint.points === undefined) break;
  }
  return chosen;
}

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

/** Combines a lower and an upper bound into one range. More is left to the filter. */
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

/** The tighter of two edges; `sign` is 1 for lower edges. A value is tighter than the edge of a type. */
function tighter(a: Edge, b: Edge, index: Index, sign: 1 | -1): Edge {
  if (b.at !== "value") return a;
  if (a.at !== "value") return b;
  const order = index.space.orderOf(b.value, a.value) * sign;
  return order > 0 || (order === 0 && !b.inclusive) ? b : a;
}

/** The ranges to read, in index order and disjoint. */
export function rangesOf(index: Index, chosen: readonly Constraint[]): Range<Key>[] | undefined {
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
