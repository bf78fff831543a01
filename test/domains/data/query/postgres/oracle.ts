import { PGlite, types } from "@electric-sql/pglite";
import type { Document } from "mongodb";
import type { Dataset } from "./records.ts";
import { columnsOf, createTables, postgresColumns, tableNames } from "./tables.ts";

/** A PostgreSQL in this process, without files. Rows are arrays; days stay text. */
export interface Postgres {
  load(dataset: Dataset): Promise<void>;
  rows(sql: string): Promise<unknown[][]>;
  stop(): Promise<void>;
}

/** The value in PostgreSQL: an empty list is NULL, as in the query language. */
const storedValues = (record: Document, name: string): unknown[] => {
  const value: unknown = record[name] ?? null;
  const { kind } = Object.fromEntries(columnsOf(record.__table))[name] ?? {};
  const list = Array.isArray(value) && value.length > 0 ? value : null;
  if (kind === "texts") return [list];
  if (kind === "json") return [value === null ? null : JSON.stringify(value)];
  if (kind !== "lookup" && kind !== "lookups") return [value];
  const parts = ["id", "name", "schema"];
  const of = (reference: Document | null, part: string): unknown => reference?.[part] ?? null;
  if (kind === "lookup") return parts.map((part) => of(value as Document | null, part));
  return parts.map((part) => list?.map((reference: Document) => of(reference, part)) ?? null);
};

const insert = async (database: PGlite, table: string, record: Document): Promise<void> => {
  const columns = columnsOf(table).flatMap(([name, { kind }]) => postgresColumns(name, kind));
  const values = columnsOf(table).flatMap(([name]) => storedValues({ ...record, __table: table }, name));
  const places = columns.map(([, type], index) => `$${index + 1}::${type}`);
  await database.query(
    `INSERT INTO "${table}" (${columns.map(([name]) => `"${name}"`).join(", ")}) VALUES (${places.join(", ")})`,
    values,
  );
};

export const startPostgres = async (): Promise<Postgres> => {
  const database = await PGlite.create({ parsers: { [types.DATE]: (text) => text } });
  await database.exec("SET TIME ZONE 'UTC'");
  await database.exec(createTables());
  return {
    load: async (dataset) => {
      for (const table of tableNames) {
        await database.exec(`TRUNCATE "${table}"`);
        for (const record of dataset[table] ?? []) if (!record.hidden) await insert(database, table, record);
      }
    },
    rows: async (sql) => {
      const { rows } = await database.query<unknown[]>(sql, [], { rowMode: "array" });
      return rows;
    },
    stop: () => database.close(),
  };
};
