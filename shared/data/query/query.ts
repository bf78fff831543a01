/** The query language's only door: text in, rows out, within one tenant and one caller's access. */
import { now } from "#shared/foundation/clock";
import type { Tenant } from "#shared/tenant/tenant";
import type { QueryScope } from "./analyze/catalog.ts";
import { readsClock } from "./analyze/reads-clock.ts";
import { timeZoneOf } from "./analyze/time-zone.ts";
import { compileQuery } from "./compile/compile.ts";
import { countingOf } from "./compile/count.ts";
import { type Page, pageOf } from "./compile/page.ts";
import type { QueryAnswer, QueryResult } from "./execute/answers.ts";
import { cachedPage, cachedTotal, type Found, type PageRows } from "./execute/cached-rows.ts";
import { cursorOf, positionOf } from "./execute/cursor.ts";
import { explainQuery } from "./execute/explain.ts";
import { tenantScope } from "./execute/tenant-scope.ts";
import { treeOf } from "./parse/known-trees.ts";
import type { Query } from "./parse/syntax.ts";
import type { QueryLocation } from "./query-issue.ts";

export { presented } from "./execute/answers.ts";
export { exceededTimeLimit, withPlace } from "./execute/places.ts";
export { queryLimits } from "./limits.ts";
/** The one table of what pipelines are made of: `route` says whether a caller's own pipeline may have it. */
export { default as operators } from "./operators.json" with { type: "json" };

export interface QueryRequest {
  readonly text: string;
  /** Where the text stands in the request, for error messages. */
  readonly loc: QueryLocation;
  /** Of an earlier answer to the same text. */
  readonly cursor?: string | undefined;
  /** Also says how many rows there are on all pages. */
  readonly count?: boolean | undefined;
  readonly bypassCache?: boolean | undefined;
}

/**
 * Parses, compiles and runs a query, or finds its answer in the cache. Raises `validation_failed` whose issues name line,
 * column and what was expected.
 */
export const runQuery = async (tenant: Tenant, request: QueryRequest): Promise<QueryAnswer> => {
  const { text, loc, cursor } = request;
  const query = treeOf(text, loc);
  const position = cursor === undefined ? null : positionOf(tenant, text, cursor, loc);
  const at = position?.at ?? now();
  const scope = await tenantScope(tenant, query, { loc, timeZone: await timeZoneOf(tenant), now: at });
  if (query.explain) {
    const compiled = compileQuery(query, scope);
    const result = {
      records: [],
      headers: [...compiled.headers],
      explain: await explainQuery(compiled, tenant.collection(compiled.collection)),
    };
    return { result, cache: "bypass" };
  }
  const page = pageOf(query, scope, position);
  const [rows, total] = await read(tenant, request, { query, scope, page });
  const cache = total !== null && total.cache !== rows.cache ? "miss" : rows.cache;
  const result: QueryResult = { records: rows.value.rows, headers: [...page.query.headers] };
  if (total !== null) result.total = total.value;
  if (rows.value.hasMore) Object.assign(result, goingOn(tenant, text, page, rows.value, { query, at }));
  return { result, cache };
};

interface Reading {
  readonly query: Query;
  readonly scope: QueryScope;
  readonly page: Page;
}

const read = (
  tenant: Tenant,
  { loc, count, bypassCache }: QueryRequest,
  { query, scope, page }: Reading,
): Promise<[Found<PageRows>, Found<number> | null]> => {
  const reading = { tenant, loc, bypass: bypassCache === true || readsClock(query) };
  const total = count === true ? cachedTotal(reading, countingOf(query, scope)) : null;
  return Promise.all([cachedPage(reading, page), total]);
};

/** How to go on behind a page that is not the last one. */
const goingOn = (
  tenant: Tenant,
  text: string,
  page: Page,
  { rows, lastKeys }: PageRows,
  { query, at }: { readonly query: Query; readonly at: Date },
): Pick<QueryResult, "truncated" | "next_offset" | "next_cursor"> => {
  const seen = page.offset + rows.length;
  const next_cursor = cursorOf(tenant, text, { seen, keys: lastKeys, at });
  // A page that is as long as its LIMIT is all that was asked for.
  return rows.length === query.limit ? { next_cursor } : { truncated: true, next_offset: seen, next_cursor };
};
