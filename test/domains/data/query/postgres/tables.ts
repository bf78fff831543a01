import type { QueryField, QueryObject } from "#shared/data/query/analyze/catalog";

/** The kind of a column. `lookups` and `texts` hold several values. */
export type ColumnKind = "text" | "number" | "boolean" | "date" | "moment" | "lookup" | "lookups" | "texts" | "json";

export interface TableColumn {
  readonly kind: ColumnKind;
  /** For a lookup: the tables that it refers to. */
  readonly targets: readonly string[];
  readonly indexed: boolean;
}

export type Table = Readonly<Record<string, TableColumn>>;

const plain = (kind: ColumnKind, indexed = false): TableColumn => ({ kind, targets: [], indexed });
const toward = (kind: "lookup" | "lookups", ...targets: string[]): TableColumn => ({ kind, targets, indexed: true });

/** One definition for both databases. Tables share field names, so that queries must qualify them. */
const tables: Readonly<Record<string, Table>> = {
  company: {
    id: plain("text", true),
    name: plain("text", true),
    industry: plain("text"),
    employees: plain("number"),
    active: plain("boolean"),
    founded: plain("date"),
    checked: plain("moment"),
    parent: toward("lookup", "company"),
  },
  contact: {
    id: plain("text", true),
    name: plain("text"),
    title: plain("text", true),
    score: plain("number", true),
    birthday: plain("date"),
    company: toward("lookup", "company"),
  },
  lead: {
    id: plain("text", true),
    name: plain("text"),
    status: plain("text", true),
    amount: plain("number"),
    score: plain("number", true),
    active: plain("boolean"),
    due: plain("date", true),
    closed: plain("moment", true),
    company: toward("lookup", "company"),
    contact: toward("lookup", "contact"),
    tags: plain("texts"),
    watchers: toward("lookups", "contact"),
    settings: plain("json"),
  },
  task: {
    id: plain("text", true),
    name: plain("text"),
    priority: plain("number"),
    done: plain("boolean"),
    starts: plain("moment"),
    related_to: toward("lookup", "company", "contact", "lead"),
  },
};

export const tableNames = Object.keys(tables);

export const columnsOf = (table: string): [string, TableColumn][] => Object.entries(tables[table] ?? {});

const declared: Record<ColumnKind, Pick<QueryField, "type" | "format">> = {
  text: { type: "string" },
  number: { type: "number" },
  boolean: { type: "boolean" },
  date: { type: "string", format: "date" },
  moment: { type: "string", format: "date-time" },
  lookup: { type: "json", format: "lookup" },
  lookups: { type: "list", format: "lookup_list" },
  texts: { type: "list", format: "multi-select" },
  json: { type: "json" },
};

const fieldOf = (api_name: string, { kind, targets, indexed }: TableColumn): QueryField => {
  const several = kind === "lookup" && targets.length > 1;
  return {
    api_name,
    name: api_name,
    indexed,
    unique: api_name === "id",
    ...declared[kind],
    ...(several ? { format: "compound_lookup" } : targets.length === 1 ? { schema: targets[0] } : {}),
  };
};

/** The tables as the query language's catalog knows them. */
export const catalog: ReadonlyMap<string, QueryObject> = new Map(
  tableNames.map((name) => [
    name,
    {
      api_name: name,
      fields: new Map(columnsOf(name).map(([field, column]) => [field, fieldOf(field, column)] as const)),
    },
  ]),
);

const types: Record<Exclude<ColumnKind, "lookup" | "lookups">, string> = {
  text: "text",
  number: "float8",
  boolean: "boolean",
  date: "date",
  moment: "timestamptz",
  texts: "text[]",
  json: "jsonb",
};

/** The columns in PostgreSQL for a field, with their types. A lookup has three. */
export const postgresColumns = (name: string, kind: ColumnKind): [string, string][] => {
  if (kind !== "lookup" && kind !== "lookups") return [[name, types[kind]]];
  const type = kind === "lookup" ? "text" : "text[]";
  return ["id", "name", "schema"].map((part) => [`${name}_${part}`, type]);
};

/** A collation that orders by code point and still knows letter cases. */
export const createTables = (): string =>
  tableNames
    .map((table) => {
      const columns = columnsOf(table).flatMap(([name, { kind }]) => postgresColumns(name, kind));
      return `CREATE TABLE "${table}" (${columns.map(([name, type]) => `"${name}" ${type}${/^text/.test(type) ? ' COLLATE "pg_c_utf8"' : ""}`).join(", ")});`;
    })
    .join("\n");
