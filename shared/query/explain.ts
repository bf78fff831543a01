import { type Document, EJSON } from "bson";
import type { CompiledQuery } from "./compile.ts";
import { baseOf, type Plan } from "./plan.ts";
import { conjuncts, type Predicate } from "./predicate.ts";

export interface Explanation {
  /** The collection that the pipeline runs on. */
  readonly collection: string;
  /** In MongoDB's extended JSON, so that dates stay dates: it can be sent to the pipeline route as it is. */
  readonly pipeline: Document[];
  /** Fields whose index can serve the first match or the order; which one does is the database's choice. */
  readonly indexes: string[];
  readonly warnings: string[];
}

/** What would be run, without running it. */
export const explainQuery = (query: CompiledQuery): Explanation => {
  const indexes = usableIndexes(query.plan);
  const { object } = baseOf(query.plan);
  const scan = `No condition or order can use an index: every ${object.api_name} record is read.`;
  const lookups = query.plan.joins
    .filter((join) => !isIndexed(query.plan, join.source.index, join.foreign.path))
    .map((join) => `${join.source.name} is joined by ${join.foreign.field.api_name}, which has no index.`);
  return {
    collection: query.collection,
    pipeline: EJSON.serialize(query.pipeline, { relaxed: true }) as Document[],
    indexes,
    warnings: [...(indexes.length === 0 ? [scan] : []), ...lookups],
  };
};

/** The primary key, the system dates, whole lookups by their id, and what the schema declares indexed or unique. */
const isIndexed = (plan: Plan, source: number, path: string): boolean => {
  if (path === "_id") return true;
  const fields = plan.sources[source]?.object.fields;
  const [name = "", part] = path.split(".");
  const field = fields?.get(name);
  if (field?.format === "lookup" || field?.format === "lookup_list" || field?.format === "compound_lookup") {
    return part === "id";
  }
  return part === undefined && (field?.indexed === true || field?.unique === true);
};

const sargable = ["$eq", "$in", "$gt", "$gte", "$lt", "$lte"];

/** An index serves a test for certain values; one prefix of a pattern would not do, because LIKE ignores case. */
const served = (plan: Plan, predicate: Predicate): string[] => {
  if (predicate.kind === "any") {
    const each = predicate.items.map((item) => served(plan, item));
    return each.every((found) => found.length > 0) ? each.flat() : [];
  }
  if (predicate.kind === "all") return conjuncts(predicate).flatMap((item) => served(plan, item));
  if (predicate.kind !== "test" || predicate.column.source !== 0) return [];
  const { column, test } = predicate;
  return Object.keys(test).some((key) => sargable.includes(key)) && isIndexed(plan, 0, column.path)
    ? [column.path]
    : [];
};

const usableIndexes = (plan: Plan): string[] => {
  const found = plan.where.flatMap((predicate) => served(plan, predicate));
  const first = plan.order[0]?.column;
  const ordered = plan.grouping === null && !plan.distinct && plan.limit !== null;
  if (ordered && !first) found.push("_id");
  if (ordered && first?.source === 0 && isIndexed(plan, 0, first.path)) found.push(first.path);
  return [...new Set(found)].map((path) => (path === "_id" ? "id" : path));
};
