import { all, type Matcher } from "./matcher.ts";

/** One condition of a conjunction, with the keys that conditions are ordered by. */
export interface Condition {
  readonly kind: string;
  readonly path: string;
  readonly matches: Matcher;
}

/**
 * MongoDB evaluates the conditions of a conjunction in this order of kinds, then by path. The order is visible in the
 * positional operator: the last condition that an array element meets determines the position of `$`.
 */
const kinds = [
  "$or",
  "$elemMatch",
  "$size",
  "$eq",
  "$lte",
  "$lt",
  "$gt",
  "$gte",
  "$regex",
  "$mod",
  "$exists",
  "$in",
  "$bitsAllSet",
  "$bitsAllClear",
  "$bitsAnySet",
  "$bitsAnyClear",
  "$not",
  "$nor",
  "$type",
];
const ranks = new Map(kinds.map((kind, i) => [kind, i]));

const rankOf = ({ kind }: Condition): number => ranks.get(kind) ?? kinds.length;

/** $ne and $nin are negations; $in with one value is an equality. */
export function kindOf(operator: string, operand: unknown): string {
  if (operator === "$ne" || operator === "$nin") return "$not";
  if (operator === "$in" && Array.isArray(operand) && operand.length === 1) return "$eq";
  return operator;
}

export function conjunction(conditions: readonly Condition[]): Matcher {
  const sorted = conditions.length < 2 ? conditions : conditions.toSorted(inOrder);
  return all(sorted.map(({ matches }) => matches));
}

const inOrder = (a: Condition, b: Condition): number =>
  rankOf(a) - rankOf(b) || (a.path < b.path ? -1 : a.path > b.path ? 1 : 0);

/** Operators that a filter may have beside fields. */
export const topLevelOperators: ReadonlySet<string> = new Set([
  "$and",
  "$or",
  "$nor",
  "$expr",
  "$jsonSchema",
  "$comment",
  "$alwaysTrue",
  "$alwaysFalse",
]);
