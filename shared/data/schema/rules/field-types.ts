import { isReference } from "../field-index.ts";
import type { Field, ObjectSchema } from "../object-schema.ts";

export const TIMESTAMP = "google.protobuf.Timestamp";
/** A value that conditions can only test for presence. */
export const OPAQUE = "Opaque";
export const REFERENCE = "Reference";

/** Reads the fields of an object that have no type in conditions but for their presence, such as secrets. */
export type OpaqueFields = (schema: ObjectSchema) => readonly string[];

/** The CEL type of a field. */
export const fieldTypeOf = (field: Field, opaque: readonly string[]): string => {
  if (field.encrypted === true || opaque.includes(field.api_name)) return OPAQUE;
  if (isReference(field)) return field.format === "lookup_list" ? `list<${REFERENCE}>` : REFERENCE;
  switch (field.type) {
    case "number":
      return "double";
    case "boolean":
      return "bool";
    case "list":
      return field.format === "multi-select" ? "list<string>" : "list<dyn>";
    case "json":
      return "dyn";
    case "string":
      return field.format === "date" || field.format === "date-time" ? TIMESTAMP : "string";
  }
};
