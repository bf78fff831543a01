import * as fc from "fast-check";
import type { Db, Document } from "mongodb";
import type { QueryAccess } from "#shared/data/query/analyze/catalog";
import { compileQuery, type ExecutableQuery, executable } from "#shared/data/query/compile/compile";
import { queryLimits } from "#shared/data/query/limits";
import { parseQuery } from "#shared/data/query/parse/parse";
import type { Query } from "#shared/data/query/parse/syntax";
import { Fault } from "#shared/foundation/faults";
import { printQuery } from "../print-query.ts";
import type { Postgres } from "./oracle.ts";
import { printPostgres } from "./print-sql.ts";
import { comparableQuery } from "./queries.ts";
import { type Dataset, datasetOf } from "./records.ts";
import { catalog, columnsOf, tableNames } from "./tables.ts";
import { now, timeZones } from "./values.ts";

/** Records that the caller may not see exist in this database only, so that showing or counting one is a difference. */
const access: QueryAccess = {
  objectReadable: () => true,
  fieldReadable: () => true,
  named: "all",
  seesSensitive: true,
  filter: () => ({ hidden: { $ne: true } }),
};

const scope = { objects: catalog, objectNames: tableNames, access, caller: "user-1", now, loc: ["q"] };

/** Every generated query is valid, so a refusal is a finding too. */
const compile = (text: string, timeZone: string): ExecutableQuery => {
  try {
    return executable(compileQuery(parseQuery(text, ["q"]), { ...scope, timeZone }));
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    throw new Error(`${text}\nis refused: ${error.issues?.map(({ msg }) => msg).join(" ")}`);
  }
};

/** A value in a form that both databases share: a lookup by its id, dates as text, an empty list as NULL. */
const comparable = (value: unknown): unknown => {
  if (value === undefined || value === null) return null;
  if (value instanceof Date) return value.toISOString();
  if (typeof value === "number" || typeof value === "bigint") return Number(value) === 0 ? 0 : Number(value);
  if (Array.isArray(value)) return value.length === 0 ? null : value.map(comparable);
  if (typeof value !== "object") return value;
  const entries = Object.entries(value).map(([key, item]) => [key, comparable(item)] as const);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
};

const answer = async (db: Db, compiled: ExecutableQuery): Promise<unknown[][]> => {
  const { collection, pipeline, headers, resultKeys, emptyRow, isEmpty } = compiled;
  if (isEmpty) return [];
  const documents = await db.collection(collection).aggregate(pipeline).toArray();
  const found = documents.length === 0 && emptyRow !== null ? [emptyRow] : documents;
  return found.map((document) =>
    resultKeys.map((resultKey, index) => {
      const value: unknown = document[resultKey];
      const format = headers[index]?.format ?? "";
      if (!/lookup/.test(format)) return comparable(value);
      const ids = [value].flat().map((reference) => (reference as Document | null)?.id ?? null);
      return format === "lookup_list" ? (ids.length === 0 || !Array.isArray(value) ? null : ids) : comparable(ids[0]);
    }),
  );
};

/** The two databases order lists and JSON differently, so these rows are compared as a set. */
const isUnordered = (compiled: ExecutableQuery): boolean =>
  compiled.plan.distinct && compiled.plan.columns.some(({ column }) => column.list || column.kind === "json");

const sorted = (rows: readonly unknown[][]): string[] => rows.map((row) => JSON.stringify(row)).sort();

const agree = async (db: Db, postgres: Postgres, query: Query, timeZone: string): Promise<void> => {
  const text = printQuery(query);
  const compiled = compile(text, timeZone);
  const limit = queryLimits.rows + 1;
  const unordered = isUnordered(compiled);
  if (unordered && (query.limit !== null || query.offset > 0))
    return agree(db, postgres, { ...query, limit: null, offset: 0 }, timeZone);
  const sql = printPostgres(query, timeZone, limit);
  const expected = (await postgres.rows(sql)).map((row) => row.map(comparable));
  const found = await answer(db, compiled);
  const [ours, theirs] = unordered ? [sorted(found), sorted(expected)] : [found, expected];
  if (JSON.stringify(ours) === JSON.stringify(theirs)) return;
  const show = (rows: readonly unknown[]) => `${rows.length} rows ${JSON.stringify(rows.slice(0, 30))}`;
  throw new Error(
    `${text}\n(${timeZone}) answers ${show(ours)}\nbut PostgreSQL ${show(theirs)}\nfor ${sql}\npipeline of ${compiled.collection}: ${JSON.stringify(compiled.pipeline)}`,
  );
};

const store = async (db: Db, dataset: Dataset): Promise<void> => {
  for (const table of tableNames) {
    const collection = db.collection<Document & { _id: string }>(table);
    await collection.deleteMany({});
    const records = dataset[table] ?? [];
    if (records.length > 0) await collection.insertMany(structuredClone(records) as (Document & { _id: string })[]);
    for (const [name, { kind, indexed }] of columnsOf(table)) {
      const path = kind === "lookup" || kind === "lookups" ? `${name}.id` : name;
      if (indexed && name !== "id") await collection.createIndex({ [path]: 1, _id: 1 });
    }
  }
};

/**
 * Loads the records of a seed into both databases and compares that many queries. Raises the smallest one that differs.
 */
export const agreeOnMany = async (db: Db, postgres: Postgres, seed: number, count: number): Promise<void> => {
  const dataset = datasetOf(seed);
  await Promise.all([store(db, dataset), postgres.load(dataset)]);
  await fc.assert(
    fc.asyncProperty(comparableQuery, fc.constantFrom(...timeZones), (query, timeZone) =>
      agree(db, postgres, query, timeZone),
    ),
    {
      numRuns: count,
      seed,
      reporter: ({ failed, seed: used, errorInstance, numRuns, numShrinks }) => {
        if (!failed) return;
        const reason = errorInstance instanceof Error ? errorInstance.message : String(errorInstance);
        throw new Error(`Seed ${used}, query ${numRuns}, made smaller ${numShrinks} times:\n${reason}`);
      },
    },
  );
};
