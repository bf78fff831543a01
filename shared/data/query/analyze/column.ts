import { type NamedObjects, type NameMask, nameMaskOf } from "#shared/data/access/access";
import { isReference } from "#shared/data/schema/schema";
import type { QueryField } from "./catalog.ts";

/** How values compare. `any`: the elements of a list without a declared type. */
export type Kind = "text" | "number" | "boolean" | "date" | "datetime" | "json" | "any";

/** A value of each row: a stored field, or after grouping a key or an aggregate. */
export interface Column {
  /** Index of the joined object that has it, 0 for the first; −1 when it is no stored field any more. */
  readonly source: number;
  /** Where it is compared, sorted and grouped by, within its source: `amount`, `_id`, `company.id`. */
  readonly path: string;
  /** Where it is read for the answer: `amount`, `id`, `company`. */
  readonly output: string;
  readonly kind: Kind;
  /** Several values: `=` asks whether one of them is equal. */
  readonly list: boolean;
  /** A whole lookup: the object that it points to, or `*` for any. */
  readonly reference: string | null;
  /** For a lookup or a part of one: whose names the caller does not see in it. */
  readonly mask: NameMask | null;
  readonly field: QueryField;
}

/** Under this name a joined record is kept in its row. No field's api_name begins with an underscore. */
export const joinSlot = (source: number): string => `__${source}`;

export const placeOf = (column: Column): string =>
  column.source > 0 ? `${joinSlot(column.source)}.${column.path}` : column.path;

export const outputPlaceOf = (column: Column): string =>
  column.source > 0 ? `${joinSlot(column.source)}.${column.output}` : column.output;

const kindOf = (field: QueryField): Kind => {
  if (field.format === "date") return "date";
  if (field.format === "date-time") return "datetime";
  if (isReference(field) || field.format === "multi-select") return "text";
  if (field.type === "number") return "number";
  if (field.type === "boolean") return "boolean";
  if (field.type === "list") return "any";
  return field.type === "json" ? "json" : "text";
};

/** Does a record hold several values of it? */
export const holdsSeveral = ({ type, format }: QueryField): boolean =>
  type === "list" || format === "multi-select" || format === "lookup_list";

/** The column of a whole field. A lookup compares by its id and reads as `{id, schema, name}`. */
export const fieldColumn = (field: QueryField, source: number, named: NamedObjects): Column => {
  const name = field.api_name;
  const reference = isReference(field) ? (field.schema ?? "*") : null;
  const path = reference ? `${name}.id` : name === "id" ? "_id" : name;
  const mask = nameMaskOf(field, named);
  return { source, path, output: name, kind: kindOf(field), list: holdsSeveral(field), reference, mask, field };
};

const referenceParts = ["id", "name", "schema"] as const;

/** The parts of a reference that its caller sees. */
export const partsOf = ({ mask }: Column): readonly string[] =>
  mask === "every" ? referenceParts.filter((part) => part !== "name") : referenceParts;

/** `company.id`, `company.name`, `company.schema` as stored with the reference; null if it has no such part. */
export const partColumn = (field: QueryField, part: string, source: number, named: NamedObjects): Column | null => {
  const known = referenceParts.find((name) => name === part);
  const mask = nameMaskOf(field, named);
  if (!known || !isReference(field) || (known === "name" && mask === "every")) return null;
  const path = `${field.api_name}.${known}`;
  const list = field.format === "lookup_list";
  const partField = { api_name: path, name: `${field.name} ${known}`, type: list ? "list" : "string" };
  return { source, path, output: path, kind: "text", list, reference: null, mask, field: partField };
};

/** Whether what the column holds depends on the mask: it then has to be taken away before the column is read. */
export const isMaskedName = ({ mask, path, source }: Column): boolean =>
  mask !== null && source >= 0 && path.endsWith(".name");
