import { hash } from "node:crypto";
import { BSON, type Document } from "mongodb";
import { copyKeyOf, type Tenant } from "#shared/tenant/tenant";
import type { Counting, ExecutableQuery } from "../compile/compile.ts";
import type { KeyValue } from "../compile/keyset.ts";
import type { QueryPage } from "../compile/page.ts";
import type { QueryLocation } from "../query-issue.ts";
import { answerCache } from "./answer-cache.ts";
import { countRows, readRows } from "./read-rows.ts";
import type { Row } from "./result-rows.ts";

const MEGABYTE = 1024 * 1024;

/** `bypass`: the cache is neither read nor written. */
export type CacheUse = "hit" | "miss" | "bypass";

export interface Found<T> {
  readonly value: T;
  readonly cache: CacheUse;
}

export interface PageRows {
  readonly rows: Row[];
  readonly hasMore: boolean;
  /** The sort values of the last row, if paging can continue after them. */
  readonly lastKeys: readonly KeyValue[] | null;
}

const pages = answerCache<PageRows>(32 * MEGABYTE);
const totals = answerCache<{ readonly total: number }>(MEGABYTE);

/** The write counters of all collections of the query, read before the collections. */
const versionsOf = ({ state }: Tenant, { plan }: Pick<ExecutableQuery, "plan">): string =>
  [...new Set(plan.sources.map(({ object }) => object.api_name))]
    .map((name) => `${name}:${state.collection_versions?.[name] ?? 0}`)
    .join();

/**
 * The cache key has everything besides the data that the result depends on: the executable query, the caller's access
 * and id where they matter, and the days that its dates stand for. Callers with equal rights share an entry.
 */
const keyOf = (tenant: Tenant, parts: Document): string => {
  const { schema_version } = tenant.state;
  return hash("sha256", BSON.serialize({ copy: copyKeyOf(tenant), schema_version, ...parts }), "base64");
};

interface Reading {
  readonly tenant: Tenant;
  readonly loc: QueryLocation;
  readonly bypass: boolean;
}

const load = async ({ tenant, loc }: Reading, { query, keysOf }: QueryPage): Promise<PageRows> => {
  const { rows, truncated, last } = await readRows(tenant, query, loc);
  return { rows, hasMore: truncated, lastKeys: truncated && last !== null ? keysOf(last) : null };
};

/** The rows of a page. Raises as `readRows` does. */
export const cachedPage = async (reading: Reading, page: QueryPage): Promise<Found<PageRows>> => {
  if (reading.bypass) return { value: await load(reading, page), cache: "bypass" };
  const { collection, pipeline, headers, resultKeys, rowLimit, emptyRow, isEmpty } = page.query;
  const names = headers.map(({ api_name }) => api_name);
  const key = keyOf(reading.tenant, { collection, pipeline, names, resultKeys, rowLimit, emptyRow, isEmpty });
  const versions = versionsOf(reading.tenant, page.query);
  const { value, hit } = await pages.read(key, versions, () => load(reading, page));
  return { value, cache: hit ? "hit" : "miss" };
};

/** The number of rows on all pages. Raises as `countRows` does. */
export const cachedTotal = async (reading: Reading, counting: Counting): Promise<Found<number>> => {
  const { tenant, loc, bypass } = reading;
  const { collection, pipeline, atLeast } = counting;
  const count = (): Promise<number> => countRows(tenant, counting, loc);
  if (bypass) return { value: await count(), cache: "bypass" };
  const key = keyOf(tenant, { collection, pipeline, atLeast });
  const versions = versionsOf(tenant, counting);
  const { value, hit } = await totals.read(key, versions, async () => ({ total: await count() }));
  return { value: value.total, cache: hit ? "hit" : "miss" };
};
