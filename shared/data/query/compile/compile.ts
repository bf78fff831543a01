import type { Document } from "mongodb";
import type { QueryScope } from "../analyze/catalog.ts";
import type { Header, Plan } from "../analyze/plan.ts";
import { resolveQuery } from "../analyze/resolve.ts";
import { queryLimits } from "../limits.ts";
import type { Query } from "../parse/syntax.ts";
import { emptyGroup } from "./empty-group.ts";
import { buildPipeline } from "./pipeline.ts";

/** A query ready to run: pure data, and how its rows are read. */
export interface CompiledQuery {
  readonly plan: Plan;
  readonly collection: string;
  /** Which of the plan's sources that is. */
  readonly start: number;
  readonly pipeline: Document[];
  readonly headers: readonly Header[];
  /** For each header, where its value is in a document of the result. */
  readonly slots: readonly string[];
  /** What an aggregate over no rows answers: SQL gives one row, MongoDB none. Null if no row is right. */
  readonly emptyRow: Document | null;
  /** More rows than this are cut, and said to be; null with an explicit LIMIT. */
  readonly rowLimit: number | null;
  /** LIMIT 0: nothing is asked of the database. */
  readonly isEmpty: boolean;
}

/** Resolve → plan → pipeline. Raises `validation_failed` with all failures found. Does no IO. */
export const compileQuery = (query: Query, scope: QueryScope): CompiledQuery => {
  const plan = resolveQuery(query, scope);
  const { collection, start, stages, slots } = buildPipeline(plan, scope.access);
  return {
    plan,
    collection,
    start,
    pipeline: stages,
    headers: plan.columns.map((column) => column.header),
    slots,
    emptyRow: emptyGroup(plan, slots),
    rowLimit: plan.limit === null ? queryLimits.rows : null,
    isEmpty: plan.limit === 0,
  };
};
