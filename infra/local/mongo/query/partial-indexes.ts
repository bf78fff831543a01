import type { Interval } from "../index/key-space.ts";
import { dependsOnCollation } from "../values/collation.ts";
import { equals } from "../values/compare.ts";
import { Doc } from "../values/document.ts";
import { encodeKey } from "../values/key.ts";
import { isNumeric, toNumber } from "../values/numbers.ts";
import type { Maybe, Value } from "../values/types.ts";
import type { Constraint } from "./constraints.ts";
import type { CanonicalQuery } from "./plan.ts";

/** Whether every document that matches the filter is certainly in a partial index. */
export function implies(constraints: readonly Constraint[], partial: Doc, query: CanonicalQuery): boolean {
  return partial.keys.every((path, i) => {
    const value = partial.values[i] as Value;
    if (path === "$and")
      return Array.isArray(value) && value.every((part) => part instanceof Doc && implies(constraints, part, query));
    if (path.startsWith("$")) return false;
    if (equals(query.filter.get(path), value) && query.collation === undefined) return true;
    const own = constraints.filter((constraint) => constraint.path === path);
    if (!(value instanceof Doc) || !value.keys[0]?.startsWith("$"))
      return own.some(({ points }) => points?.length === 1 && sure(points[0], query) && equals(points[0], value));
    return value.keys.every((operator, k) =>
      own.some((constraint) => satisfies(constraint, operator, value.values[k] as Value, query)),
    );
  });
}

const sure = (value: Maybe, query: CanonicalQuery): boolean =>
  query.collation === undefined || !dependsOnCollation(value);

function satisfies(
  { points, intervals }: Constraint,
  operator: string,
  operand: Value,
  query: CanonicalQuery,
): boolean {
  const isPresent = (value: Maybe): boolean => value !== null && value !== undefined;
  if (operator === "$exists") return points === undefined ? intervals.length > 0 : points.every(isPresent);
  if (points === undefined || !points.every((value) => sure(value, query)))
    return rangeWithin(intervals, operator, operand, query);
  if (operator === "$eq") return points.every((value) => equals(value, operand));
  if (operator === "$in")
    return (
      Array.isArray(operand) && points.every((value) => operand.some((item) => encodeKey(item) === encodeKey(value)))
    );
  return points.every((value) => isPresent(value) && within(value, operator, operand));
}

function rangeWithin(intervals: readonly Interval[], operator: string, operand: Value, query: CanonicalQuery): boolean {
  if (!sure(operand, query)) return false;
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

/** Compares numbers with numbers, strings with strings, dates with dates; others never satisfy an operator. */
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
