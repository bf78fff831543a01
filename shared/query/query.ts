/** The query language's only door: text in, rows out, within one tenant and one caller's access. */
import type { Tenant } from "../tenant/tenant.ts";
import { type CompiledQuery, compileQuery } from "./compile.ts";
import { type Explanation, explainQuery } from "./explain.ts";
import { parseQuery } from "./parse.ts";
import type { Header } from "./plan.ts";
import type { QueryLocation } from "./query-issue.ts";
import type { Row } from "./result-rows.ts";
import { runPipeline } from "./run-pipeline.ts";
import { tenantScope } from "./tenant-scope.ts";

export { queryLimits } from "./limits.ts";
/** The one table of what pipelines are made of: `route` says whether a caller's own pipeline may have it. */
export { default as operators } from "./operators.json" with { type: "json" };
export { createSizeMeter } from "./size-meter.ts";

export interface QueryOptions {
  /** Where the text stands in the request, for error messages. */
  readonly loc: QueryLocation;
  /** IANA name; UTC unless given. */
  readonly timeZone?: string;
}

export interface QueryResult {
  records: Row[];
  headers: Header[];
  /** Only when there is more than came back. */
  truncated?: true;
  /** Only with `truncated`: the OFFSET that goes on behind the last row. */
  next_offset?: number;
  /** Only for EXPLAIN, which runs nothing. */
  explain?: Explanation;
}

/** Parses, compiles and runs a query. Raises `validation_failed` whose issues name line, column and what was expected. */
export const runQuery = async (tenant: Tenant, text: string, options: QueryOptions): Promise<QueryResult> => {
  const { loc, timeZone = "UTC" } = options;
  const query = parseQuery(text, loc);
  const compiled = compileQuery(query, await tenantScope(tenant, query, { loc, timeZone }));
  const headers = [...compiled.headers];
  if (query.explain) return { records: [], headers, explain: explainQuery(compiled) };
  return { headers, ...(await recordsOf(tenant, compiled, loc)) };
};

const recordsOf = async (
  tenant: Tenant,
  compiled: CompiledQuery,
  loc: QueryLocation,
): Promise<Omit<QueryResult, "headers">> => {
  const { rows, truncated } = await runPipeline(tenant.collection(compiled.collection), compiled, loc);
  if (!truncated) return { records: rows };
  return { records: rows, truncated, next_offset: compiled.plan.offset + rows.length };
};
