import { SENSITIVE_SCOPE, VALUE_MASK, valueMaskOf } from "#shared/data/access/access";
import { fieldIndexOf } from "#shared/data/schema/schema";
import type { QueryAccess, QueryField } from "./catalog.ts";

/** The part of a caller's access that columns depend on. */
export type Sight = Pick<QueryAccess, "named" | "seesSensitive">;

/**
 * Values that a query does not show. `sensitive`: the field is masked for the caller. `encrypted`: the database has
 * only ciphertexts, and the hashes of values if the field is indexed.
 */
export interface Hidden {
  readonly kind: "sensitive" | "encrypted";
  /** What is shown in their place. Of an encrypted field only where a record has a value. */
  readonly shown: string | null;
}

/** Null if the caller sees the field's values in queries. */
export const hiddenOf = (field: QueryField, access: Sight): Hidden | null => {
  const mask = valueMaskOf(field, access);
  if (mask !== null) return { kind: "sensitive", shown: mask.shown };
  return field.encrypted === true ? { kind: "encrypted", shown: VALUE_MASK } : null;
};

/** What a clause does with a column. `compute`: anything that depends on its value in another way. */
export type ColumnUse = "output" | "presence" | "equality" | "compute";

/** The sentence that refuses the use of a hidden field; null if it is allowed. */
export const hiddenProblem = (field: QueryField, hidden: Hidden | null, use: ColumnUse): string | null => {
  const name = field.api_name;
  if (hidden === null || use === "output") return null;
  if (hidden.kind === "sensitive") {
    return `${name} is sensitive: without the scope ${SENSITIVE_SCOPE} it can only be selected, and its values are masked.`;
  }
  if (use === "presence") return null;
  if (fieldIndexOf(field) === null) {
    return `${name} is encrypted and has no index: it can only be selected and tested by IS NULL and IS NOT NULL.`;
  }
  if (use === "equality") return null;
  return `${name} is encrypted: it can only be selected and compared with values by =, !=, IN, NOT IN and IS NULL.`;
};
