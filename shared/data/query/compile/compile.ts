import type { Document } from "mongodb";
import type { QueryScope } from "../analyze/catalog.ts";
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
  /** For each header, where its value is in a document of the result. */
  readonly slots: readonly string[];
  /** More rows than this are cut, and said to be. Null: the pipeline's own limit is all. */
  readonly rowLimit: number | null;
}

/** A query ready to run: pure data, and how its rows are read. */
export interface ExecutableQuery extends CompiledQuery {
  readonly collection: string;
  readonly pipeline: Document[];
  /** The row that stands for an empty result; null if an empty result has no rows. */
  readonly emptyRow: Document | null;
  /** LIMIT 0: nothing is asked of the database. */
  readonly isEmpty: boolean;
}

/** Names → plan → intermediate form. Raises `validation_failed` with all failures found. Does no IO. */
export const compileQuery = (query: Query, scope: QueryScope): CompiledQuery => {
  const plan = resolveQuery(query, scope);
  const headers = plan.columns.map((column) => column.header);
  return { plan, ...buildForm(plan, scope.access), headers, rowLimit: plan.limit === null ? queryLimits.rows : null };
};

/** Renders the form, once it is as it is to run. */
export const executable = (query: CompiledQuery): ExecutableQuery => {
  const { plan, form, slots } = query;
  return {
    ...query,
    collection: form.source.object.api_name,
    pipeline: pipelineOf(form),
    emptyRow: form.offset > 0 ? null : emptyRowOf(plan, slots),
    isEmpty: form.limit === 0,
  };
};

export interface Counting {
  readonly plan: Plan;
  readonly collection: string;
  readonly pipeline: Document[];
  /** An aggregate without groups has a row even if there are no records. */
  readonly atLeast: number;
}

/** How many rows a query has on all its pages. */
export const countingOf = ({ plan, form, slots }: CompiledQuery): Counting => ({
  plan,
  collection: form.source.object.api_name,
  pipeline: countPipelineOf(form),
  atLeast: emptyRowOf(plan, slots) === null ? 0 : 1,
});
