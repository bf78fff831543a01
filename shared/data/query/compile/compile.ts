import type { Document } from "mongodb";
import type { QueryAccess, QueryScope } from "../analyze/catalog.ts";
import type { Header, Plan } from "../analyze/plan.ts";
import { resolveQuery } from "../analyze/resolve.ts";
import { queryLimits } from "../limits.ts";
import type { Query } from "../parse/syntax.ts";
import { buildForm } from "./build-form.ts";
import { countPipelineOf, pipelineOf, type QueryForm } from "./form.ts";
import { emptyRowOf } from "./group-stages.ts";

export interface CompiledQuery {
  readonly plan: Plan;
  readonly form: QueryForm;
  readonly headers: readonly Header[];
  /** For each header, the path of its value in a result document. */
  readonly resultKeys: readonly string[];
  /**
   * The number of rows after which the result is cut and reported as truncated. Null: the pipeline's own limit applies.
   */
  readonly rowLimit: number | null;
}

/** A query ready to run: data only, and how its rows are read. */
export interface ExecutableQuery extends CompiledQuery {
  readonly collection: string;
  readonly pipeline: Document[];
  /** The row for an empty result; null if an empty result has no rows. */
  readonly emptyRow: Document | null;
  /** LIMIT 0: the database is not queried. */
  readonly isEmpty: boolean;
}

/** Names → plan → intermediate form. Raises `validation_failed` with all issues. Does no I/O. */
export const compileQuery = (query: Query, scope: QueryScope): CompiledQuery => {
  const plan = resolveQuery(query, scope);
  const headers = plan.columns.map((column) => column.header);
  return { plan, ...buildForm(plan, scope.access), headers, rowLimit: plan.limit === null ? queryLimits.rows : null };
};

/** The same query for another access with equal objects and fields. */
export const rebuilt = (query: CompiledQuery, access: QueryAccess): CompiledQuery => ({
  ...query,
  ...buildForm(query.plan, access),
});

/** Renders the final form. */
export const executable = (query: CompiledQuery): ExecutableQuery => {
  const { plan, form, resultKeys } = query;
  return {
    ...query,
    collection: form.source.object.api_name,
    pipeline: pipelineOf(form),
    emptyRow: form.offset > 0 ? null : emptyRowOf(plan, resultKeys),
    isEmpty: form.limit === 0,
  };
};

export interface Counting {
  readonly plan: Plan;
  readonly collection: string;
  readonly pipeline: Document[];
  /** An aggregate without groups has a row even without records. */
  readonly atLeast: number;
}

/** The pipeline that counts the rows on all pages. */
export const countingOf = ({ plan, form, resultKeys }: CompiledQuery): Counting => ({
  plan,
  collection: form.source.object.api_name,
  pipeline: countPipelineOf(form),
  atLeast: emptyRowOf(plan, resultKeys) === null ? 0 : 1,
});
