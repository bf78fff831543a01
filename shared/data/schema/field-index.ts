import type { Field } from "./document.ts";

const referenceFormats: ReadonlySet<string | undefined> = new Set(["lookup", "lookup_list", "compound_lookup"]);

/** Whether the field's values are references: `{id, schema, name}`, one or several. */
export const isReference = ({ format }: { readonly format?: string | undefined }): boolean =>
  referenceFormats.has(format);

/** `id` is stored as `_id`, which has MongoDB's own index. Records are seldom searched by who wrote them. */
const without: ReadonlySet<string> = new Set(["id", "created_by", "modified_by"]);

export interface FieldIndex {
  /** What is indexed: the field itself, or the id of its references. */
  readonly path: string;
  readonly unique: boolean;
}

type IndexedField = Pick<Field, "api_name"> & {
  readonly format?: string | undefined;
  readonly indexed?: boolean | undefined;
  readonly unique?: boolean | undefined;
};

/** The index that a field has in its object's collection; null if it has none. */
export const fieldIndexOf = (field: IndexedField): FieldIndex | null => {
  const { api_name, indexed, unique = false } = field;
  if (without.has(api_name)) return null;
  if (isReference(field)) return { path: `${api_name}.id`, unique };
  return indexed === true || unique ? { path: api_name, unique } : null;
};
