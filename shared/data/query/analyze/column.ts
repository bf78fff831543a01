import { type NameMask, nameMaskOf } from "#shared/data/access/access";
import { isReference } from "#shared/data/schema/schema";
import type { QueryField } from "./catalog.ts";
import { type Hidden, hiddenOf, type Sight } from "./hidden-values.ts";

/** How values compare. `any`: list elements without a declared type. */
export type Kind = "text" | "number" | "boolean" | "date" | "datetime" | "json" | "any";

/** A value of each row: a stored field, or after grouping a key or an aggregate. */
export interface Column {
  /** The index of the joined object that has it, 0 for the first; −1 if it is no stored field. */
  readonly source: number;
  /** The path for comparing, sorting and grouping, within its source: `amount`, `_id`, `company.id`. */
  readonly path: string;
  /** The path for output: `amount`, `id`, `company`. */
  readonly output: string;
  readonly kind: Kind;
  /** A list. `=` is true if one of the values is equal. */
  readonly list: boolean;
  /** For a whole lookup: the object that it refers to, or `*` for any. */
  readonly reference: string | null;
  /** For a lookup or a part of one: the names in it that the caller does not see. */
  readonly mask: NameMask | null;
  /** Why and how its values are hidden; null if they are shown. */
  readonly hidden: Hidden | null;
  /** For the hashes of an encrypted field: the hash of a text. */
  readonly hashOf?: (text: string) => string;
  readonly field: QueryField;
}

/** The key of a joined record in its row. No field's api_name begins with an underscore. */
export const joinKey = (source: number): string => `__${source}`;

export const pathOf = (column: Column): string =>
  column.source > 0 ? `${joinKey(column.source)}.${column.path}` : column.path;

export const outputPathOf = (column: Column): string =>
  column.source > 0 ? `${joinKey(column.source)}.${column.output}` : column.output;

const kindOf = (field: QueryField): Kind => {
  if (field.format === "date") return "date";
  if (field.format === "date-time") return "datetime";
  if (isReference(field) || field.format === "multi-select") return "text";
  if (field.type === "number") return "number";
  if (field.type === "boolean") return "boolean";
  if (field.type === "list") return "any";
  return field.type === "json" ? "json" : "text";
};

/** Whether a record holds several values of the field. */
export const holdsSeveral = ({ type, format }: QueryField): boolean =>
  type === "list" || format === "multi-select" || format === "lookup_list";

/** The column of a whole field. A lookup compares by its id and reads as `{id, schema, name}`. */
export const fieldColumn = (field: QueryField, source: number, access: Sight): Column => {
  const name = field.api_name;
  const reference = isReference(field) ? (field.schema ?? "*") : null;
  const path = reference ? `${name}.id` : name === "id" ? "_id" : name;
  const mask = nameMaskOf(field, access.named);
  const hidden = hiddenOf(field, access);
  return {
    source,
    path,
    output: name,
    kind: kindOf(field),
    list: holdsSeveral(field),
    reference,
    mask,
    hidden,
    field,
  };
};

const referenceParts = ["id", "name", "schema"] as const;

/** The parts of a reference that the caller sees. */
export const partsOf = ({ mask }: Column): readonly string[] =>
  mask === "every" ? referenceParts.filter((part) => part !== "name") : referenceParts;

/** `company.id`, `company.name`, `company.schema` as stored in the reference; null if it has no such part. */
export const partColumn = (field: QueryField, part: string, source: number, access: Sight): Column | null => {
  const known = referenceParts.find((name) => name === part);
  const mask = nameMaskOf(field, access.named);
  const hidden = hiddenOf(field, access);
  if (!known || !isReference(field) || (known === "name" && mask === "every")) return null;
  const path = `${field.api_name}.${known}`;
  const list = field.format === "lookup_list";
  const partField = { api_name: path, name: `${field.name} ${known}`, type: list ? "list" : "string" };
  return { source, path, output: path, kind: "text", list, reference: null, mask, hidden, field: partField };
};

/** Whether the column contains hidden names, which must be removed before the column is read. */
export const isMaskedName = ({ mask, path, source }: Column): boolean =>
  mask !== null && source >= 0 && path.endsWith(".name");
