import type { Document } from "mongodb";
import type { Plan } from "./plan.ts";
import type { Predicate } from "./predicate.ts";

/** `SELECT COUNT(*)` of nothing is one row with 0. Null if the query groups by keys, or HAVING refuses that row. */
export const emptyGroup = (plan: Plan, slots: readonly string[]): Document | null => {
  const { grouping, columns, offset } = plan;
  if (!grouping || grouping.keys.length > 0 || offset > 0) return null;
  const counts = new Set(grouping.aggregates.filter((aggregate) => aggregate.name === "COUNT").map(({ slot }) => slot));
  const valueAt = (path: string): number | null => (counts.has(path) ? 0 : null);
  if (!holds(grouping.having, valueAt)) return null;
  return Object.fromEntries(columns.map(({ column }, index) => [slots[index], valueAt(column.path)]));
};

/** HAVING over a row whose every value is 0 or NULL. */
const holds = (predicate: Predicate, valueAt: (path: string) => number | null): boolean => {
  switch (predicate.kind) {
    case "always":
      return predicate.holds;
    case "all":
      return predicate.items.every((item) => holds(item, valueAt));
    case "any":
      return predicate.items.some((item) => holds(item, valueAt));
    case "test":
      return Object.entries(predicate.test).every(([operator, operand]) =>
        passes(operator, valueAt(predicate.column.path), operand),
      );
    case "fields": {
      const [left, right] = [valueAt(predicate.left.path), valueAt(predicate.right.path)];
      return left !== null && right !== null && ["=", "<=", ">="].includes(predicate.operator);
    }
  }
};

const passes = (operator: string, value: number | null, operand: unknown): boolean => {
  if (operator === "$eq") return value === operand;
  if (operator === "$ne") return value !== operand;
  if (operator === "$in" || operator === "$nin") return (operand as unknown[]).includes(value) === (operator === "$in");
  if (value === null || typeof operand !== "number") return false;
  if (operator === "$lt") return value < operand;
  if (operator === "$lte") return value <= operand;
  return operator === "$gt" ? value > operand : value >= operand;
};
