import type { Document } from "mongodb";
import type { QueryAccess, QueryField, QueryObject, QueryScope } from "#shared/data/query/analyze/catalog";
import { compileQuery, type ExecutableQuery, executable } from "#shared/data/query/compile/compile";
import { parseQuery } from "#shared/data/query/parse/parse";

const field = (api_name: string, type: string, format?: string, schema?: string): QueryField => ({
  api_name,
  name: api_name.replaceAll("_", " "),
  type,
  format,
  schema,
});

const object = (api_name: string, ...fields: QueryField[]): QueryObject => ({
  api_name,
  fields: new Map(
    [
      { ...field("id", "string"), unique: true },
      { ...field("created_date", "string", "date-time"), indexed: true },
      field("owner", "json", "lookup", "user"),
      field("name", "string"),
      ...fields,
    ].map((each) => [each.api_name, each]),
  ),
});

const objects = [
  object(
    "lead",
    field("status", "string", "enum"),
    field("amount", "number", "currency"),
    field("score", "number"),
    field("active", "boolean"),
    field("due", "string", "date"),
    field("company", "json", "lookup", "company"),
    field("related_to", "json", "compound_lookup"),
    field("tags", "list", "multi-select"),
    field("watchers", "list", "lookup_list", "user"),
    field("settings", "json"),
    field("secret", "string"),
  ),
  object(
    "company",
    field("industry", "string"),
    field("employees", "number"),
    field("parent", "json", "lookup", "company"),
  ),
  object("contact", field("title", "string"), field("company", "json", "lookup", "company")),
  object("vault", field("code", "string")),
];

/**
 * Everything except the object `vault`, the field `lead.secret` and names of contacts; of `company` only records of
 * region `eu`.
 */
export const memberAccess: QueryAccess = {
  objectReadable: (name) => name !== "vault",
  fieldReadable: (name, of) => !(name === "lead" && of === "secret"),
  named: new Set(["user", "lead", "company"]),
  seesSensitive: true,
  filter: (name) => (name === "company" ? { region: "eu" } : null),
};

const fullAccess: QueryAccess = {
  objectReadable: () => true,
  fieldReadable: () => true,
  named: "all",
  seesSensitive: true,
  filter: () => null,
};

export const scopeOf = (options: Partial<QueryScope> = {}): QueryScope => ({
  objects: new Map(objects.map((each) => [each.api_name, each])),
  objectNames: objects.map((each) => each.api_name),
  access: fullAccess,
  caller: "user-1",
  now: new Date("2026-03-18T10:30:00.000Z"),
  timeZone: "UTC",
  loc: ["query", "q"],
  ...options,
});

export const compile = (text: string, options: Partial<QueryScope> = {}): ExecutableQuery => {
  const scope = scopeOf(options);
  return executable(compileQuery(parseQuery(text, scope.loc), scope));
};

/** The `$match` of a condition on leads. */
export const matchOf = (condition: string, options: Partial<QueryScope> = {}): Document | undefined =>
  compile(`SELECT id FROM lead WHERE ${condition}`, options).pipeline[0]?.$match;
