import { BSON, type Collection, type Document } from "mongodb";
import { VALUE_MASK } from "#shared/data/access/access";
import { READERS_FIELD } from "#shared/tenant/tenant";
import { isIndexed } from "../analyze/index-use.ts";
import type { Plan } from "../analyze/plan.ts";
import { conjuncts, type Predicate } from "../analyze/predicate.ts";
import type { ExecutableQuery } from "../compile/compile.ts";
import { queryLimits } from "../limits.ts";

export interface Explanation {
  /** The collection that the pipeline runs on. */
  readonly collection: string;
  /** In MongoDB's extended JSON, so that dates keep their type. It can be sent to the pipeline route unchanged. */
  readonly pipeline: Document[];
  /** The first field of each index that the database would use for that collection. */
  readonly indexes: string[];
  readonly warnings: string[];
}

/** How the database would read the first collection of the pipeline. */
type CollectionAccess = { readonly kind: "scan" } | { readonly kind: "index"; readonly path: string };

const isDocument = (value: unknown): value is Document => typeof value === "object" && value !== null;

/** The first field of an index. Some servers write its keys as text. */
const firstKey = (pattern: unknown): string | undefined =>
  typeof pattern === "string" ? /[\w.]+/.exec(pattern)?.[0] : Object.keys(isDocument(pattern) ? pattern : {})[0];

/** Not part of the winning plan: rejected plans, the command, and the reads of joins. */
const aside = new Set(["rejectedPlans", "command", "parsedQuery", "slotBasedPlan", "$lookup", "executionStats"]);

/** Finds the scans in the reply of `explain`, for one plan or stages, both engines, one shard or several. */
export const accessesOf = (explained: unknown): CollectionAccess[] => {
  if (!isDocument(explained)) return [];
  if (Array.isArray(explained)) return explained.flatMap(accessesOf);
  const stage = typeof explained.stage === "string" ? explained.stage.toUpperCase() : "";
  if (stage === "COLLSCAN") return [{ kind: "scan" }];
  if (stage.includes("IDHACK") || stage.startsWith("CLUSTERED")) return [{ kind: "index", path: "_id" }];
  const path = stage.startsWith("EQ_LOOKUP") ? undefined : firstKey(explained.keyPattern);
  if (path !== undefined) return [{ kind: "index", path }];
  return Object.entries(explained).flatMap(([key, value]) => (aside.has(key) ? [] : accessesOf(value)));
};

/** A condition with its values replaced. */
const masked = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(masked);
  if (!isDocument(value)) return value === null ? null : VALUE_MASK;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, masked(inner)]));
};

/**
 * The pipeline without the hashes of encrypted fields (`<field>.hash`), with which texts could be tried against a copy
 * of the database.
 */
const withoutHashes = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutHashes);
  if (!isDocument(value) || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, key.endsWith(".hash") ? masked(inner) : withoutHashes(inner)]),
  );
};

const publicNames: ReadonlyMap<string, string> = new Map([
  ["_id", "id"],
  [READERS_FIELD, "the records that you may see"],
]);

const publicName = (path: string): string => publicNames.get(path) ?? path;

/** Explains a query without running it: the pipeline to show, and the database's plan in one round trip. */
export const explainQuery = async (
  query: ExecutableQuery,
  shown: readonly Document[],
  collection: Collection<Document>,
): Promise<Explanation> => {
  const accesses = query.isEmpty ? [] : await plannedAccesses(query, collection);
  const indexes = accesses.flatMap((access) => (access.kind === "index" ? [publicName(access.path)] : []));
  return {
    collection: query.collection,
    pipeline: BSON.EJSON.serialize(withoutHashes(shown) as Document[], { relaxed: true }) as Document[],
    indexes: [...new Set(indexes)],
    warnings: [...readingWarnings(query, accesses), ...joinWarnings(query.plan)],
  };
};

const plannedAccesses = async (
  query: ExecutableQuery,
  collection: Collection<Document>,
): Promise<CollectionAccess[]> => {
  const { maxTimeMilliseconds: maxTimeMS } = queryLimits;
  return accessesOf(await collection.aggregate(query.pipeline, { maxTimeMS }).explain("queryPlanner"));
};

const sargable = ["$eq", "$in", "$gt", "$gte", "$lt", "$lte"];

/** The fields of conditions that could use an index. LIKE cannot, because it ignores case. */
const narrowing = (predicate: Predicate, start: number): string[] => {
  if (predicate.kind === "any" || predicate.kind === "all") {
    return predicate.items.flatMap((item) => narrowing(item, start));
  }
  const narrows = predicate.kind === "test" && Object.keys(predicate.test).some((key) => sargable.includes(key));
  return narrows && predicate.column.source === start ? [predicate.column.path] : [];
};

const readingWarnings = (
  { plan, form, collection }: ExecutableQuery,
  accesses: readonly CollectionAccess[],
): string[] => {
  const start = form.source.index;
  if (accesses.some(({ kind }) => kind === "scan")) {
    return [`No condition or order can use an index: every ${collection} record is read.`];
  }
  const on = plan.joins.find((join) => join.source.index === start)?.on;
  const conditions = [...plan.where, ...(on ? conjuncts(on) : [])];
  const narrowed = new Set([READERS_FIELD, ...conditions.flatMap((condition) => narrowing(condition, start))]);
  const unbound = accesses.flatMap((access) => (access.kind === "index" && !narrowed.has(access.path) ? [access] : []));
  const [first] = unbound;
  if (!first || (conditions.length === 0 && plan.limit !== null && plan.grouping === null)) return [];
  const end = plan.limit === null ? "" : " until there are enough";
  return [
    `No condition can use an index: ${collection} records are read in the order of ${publicName(first.path)}${end}.`,
  ];
};

/** The plan of a lookup is known only when it runs, so its index is taken from the schema. */
const joinWarnings = (plan: Plan): string[] =>
  plan.joins
    .filter(({ source, foreign }) => !isIndexed(source.object, foreign.path))
    .map(({ source, foreign }) => `${source.name} is joined by ${foreign.field.api_name}, which has no index.`);
