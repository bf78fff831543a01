import type { Field } from "./object-schema.ts";

const referenceFormats: ReadonlySet<string | undefined> = new Set(["lookup", "lookup_list", "compound_lookup"]);

/** Whether the field's values are references: `{id, schema, name}`, one or several. */
export const isReference = ({ format }: { readonly format?: string | undefined }): boolean =>
  referenceFormats.has(format);

/** `id` is `_id`, which MongoDB indexes itself. Searches by creator or last editor are rare. */
const notIndexed: ReadonlySet<string> = new Set(["id", "created_by", "modified_by"]);

export interface FieldIndex {
  /** What is indexed: the field itself, the id of its references, or the hashes of its encrypted values. */
  readonly path: string;
  readonly unique: boolean;
}

type IndexedField = Pick<Field, "api_name"> & {
  readonly format?: string | undefined;
  readonly indexed?: boolean | undefined;
  readonly unique?: boolean | undefined;
  readonly encrypted?: boolean | undefined;
};

/** The index that a field has in its object's collection; null if it has none. */
export const fieldIndexOf = (field: IndexedField): FieldIndex | null => {
  const { api_name, indexed, unique = false } = field;
  if (notIndexed.has(api_name)) return null;
  if (isReference(field)) return { path: `${api_name}.id`, unique };
  if (indexed !== true && !unique) return null;
  return { path: field.encrypted === true ? `${api_name}.hash` : api_name, unique };
};
