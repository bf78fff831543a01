import type { Document } from "mongodb";
import type { Plan } from "../analyze/plan.ts";

/**
 * An aggregate over no rows answers one row in SQL, `COUNT` being 0 and all else NULL, where MongoDB answers none.
 * Null if no row is right, or if the pipeline makes that row itself because HAVING has to judge it.
 */
export const emptyGroup = (plan: Plan, slots: readonly string[]): Document | null => {
  const { grouping, columns, offset } = plan;
  if (!grouping || grouping.keys.length > 0 || grouping.having.kind !== "always" || offset > 0) return null;
  const counts = new Set(grouping.aggregates.filter((aggregate) => aggregate.name === "COUNT").map(({ slot }) => slot));
  if (!grouping.having.holds) return null;
  return Object.fromEntries(columns.map(({ column }, index) => [slots[index], counts.has(column.path) ? 0 : null]));
};
