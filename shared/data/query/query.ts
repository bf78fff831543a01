/** The query language: text in, rows out, for one tenant and within the caller's access. */
import { now } from "#shared/foundation/clock";
import type { Tenant } from "#shared/tenant/tenant";
import type { QueryScope } from "./analyze/catalog.ts";
import { type CompiledQuery, compileQuery, countingOf, executable, rebuilt } from "./compile/compile.ts";
import { pageOf, type QueryPage } from "./compile/page.ts";
import type { QueryAnswer, QueryResult } from "./execute/answers.ts";
import { cachedPage, cachedTotal, type PageRows } from "./execute/cached-rows.ts";
import { cursorOf, foreignCursor, positionOf } from "./execute/cursor.ts";
import { explainQuery } from "./execute/explain.ts";
import { tenantScope } from "./execute/tenant-scope.ts";
import { parseConditionText, parseQuery } from "./parse/parse.ts";
import { parseCached } from "./parse/parse-cache.ts";
import type { Query } from "./parse/syntax.ts";
import type { QueryLocation } from "./query-issue.ts";

export { presented } from "./execute/answers.ts";
export { queryLimits } from "./limits.ts";

export interface QueryRequest {
  readonly text: string;
  /** The position of the text in the request, for errors. */
  readonly loc: QueryLocation;
  /** The values of `$1`, `$2` and so on in the text. */
  readonly parameters?: readonly unknown[];
  /** From an earlier reply to the same text. */
  readonly cursor?: string | undefined;
  /** Whether to count the rows on all pages. */
  readonly count?: boolean | undefined;
  readonly bypassCache?: boolean | undefined;
}

/**
 * Parses, compiles and runs a query, or takes its result from the cache. Raises `validation_failed` with issues that
 * name line, column and what was expected.
 */
export const runQuery = async (tenant: Tenant, request: QueryRequest): Promise<QueryAnswer> => {
  const { text, loc, parameters = [] } = request;
  const query = parameters.length === 0 ? parseCached(text, loc) : parseQuery(text, loc, parameters);
  return runParsed(tenant, query, request);
};

/**
 * Runs a query of the platform's own, narrowed by a condition of the caller: `where` at `loc`. Raises as `runQuery`
 * does, with positions within the condition.
 */
export const runSearch = (
  tenant: Tenant,
  { text, where, ...request }: QueryRequest & { readonly where: string },
): Promise<QueryAnswer> => {
  const all = parseCached(text, request.loc);
  const query = where.trim() === "" ? all : { ...all, where: parseConditionText(where, request.loc) };
  // The cursor is bound to both.
  return runParsed(tenant, query, { ...request, text: JSON.stringify([text, where]) });
};

const runParsed = async (tenant: Tenant, query: Query, request: QueryRequest): Promise<QueryAnswer> => {
  const { text, loc, cursor } = request;
  const position = cursor === undefined ? null : positionOf(tenant, text, cursor, loc);
  const at = position?.at ?? now();
  const scope = await tenantScope(tenant, query, { loc, now: at });
  const compiled = compileQuery(query, scope);
  if (query.explain) return { result: await explained(tenant, compiled, scope), cache: "bypass" };
  const page = pageOf(compiled, position);
  if (page === null) throw foreignCursor(loc);
  const reading = { tenant, loc, bypass: request.bypassCache === true || readsClock(query) };
  const [rows, total] = await Promise.all([
    cachedPage(reading, page),
    request.count === true ? cachedTotal(reading, countingOf(compiled)) : null,
  ]);
  const cache = total !== null && total.cache !== rows.cache ? "miss" : rows.cache;
  const result: QueryResult = { records: rows.value.rows, headers: [...compiled.headers] };
  if (total !== null) result.total = total.value;
  if (rows.value.hasMore) Object.assign(result, goingOn(tenant, text, page, rows.value, { query, at }));
  return { result, cache };
};

const isNow = (node: object): boolean => "date" in node && node.date === "now";

const mentionsNow = (node: unknown): boolean =>
  typeof node === "object" && node !== null && (isNow(node) || Object.values(node).some(mentionsNow));

/** Whether the query uses `now`. Its result then differs each time and is not cached. */
const readsClock = ({ where, having, joins }: Query): boolean => [where, having, joins].some(mentionsNow);

/**
 * The pipeline is shown without the filters of the caller's access, which name the users whose records they see. The
 * pipeline route adds them anew.
 */
const explained = async (tenant: Tenant, compiled: CompiledQuery, scope: QueryScope): Promise<QueryResult> => {
  const query = executable(compiled);
  const shown = executable(rebuilt(compiled, { ...scope.access, filter: () => null }));
  const explain = await explainQuery(query, shown.pipeline, tenant.collection(query.collection));
  return { records: [], headers: [...query.headers], explain };
};

/** The position after a page that is not the last one. */
const goingOn = (
  tenant: Tenant,
  text: string,
  page: QueryPage,
  { rows, lastKeys }: PageRows,
  { query, at }: { readonly query: Query; readonly at: Date },
): Pick<QueryResult, "truncated" | "next_offset" | "next_cursor"> => {
  const seen = page.offset + rows.length;
  const next_cursor = cursorOf(tenant, text, { seen, keys: lastKeys, at });
  // A page with as many rows as its LIMIT is complete.
  return rows.length === query.limit ? { next_cursor } : { truncated: true, next_offset: seen, next_cursor };
};
