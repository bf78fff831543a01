import type * as z from "zod";
import { type field, objectSchema, type validationRule } from "#contracts/object-schema";
import { fieldIndexOf } from "./field-index.ts";
import { systemFields } from "./system-fields.ts";

export type Field = z.output<typeof field>;

export type ValidationRule = z.output<typeof validationRule>;

export type RuleOperation = ValidationRule["on"][number];

/** An object as the rest of the platform sees it: `properties` has the system fields first, then its own. */
export type ObjectSchema = z.output<typeof objectSchema>;

/** The stored form. It has no system fields, so that they cannot be changed in the database. */
export type StoredSchema = z.input<typeof objectSchema> & { _id: string };

export const SCHEMAS_COLLECTION = "schemas";

/** An index is there unless the field says otherwise. */
const withIndexStatus = (property: Field): Field => {
  if (fieldIndexOf(property) !== null) return { index_status: "ready", ...property };
  const { index_status: _, index_failure: __, ...plain } = property;
  return plain;
};

/**
 * Parses a stored schema. A field is required if the field or the object's `required` says so. Raises a ZodError for a
 * document that is no schema.
 */
export const resolveSchema = (document: unknown): ObjectSchema => {
  const schema = objectSchema.parse(document);
  const listed = new Set(schema.required);
  const own: Record<string, Field> = {};
  for (const [name, property] of Object.entries(schema.properties)) {
    if (Object.hasOwn(systemFields, name)) continue;
    own[name] = withIndexStatus({ ...property, api_name: name, required: property.required || listed.has(name) });
  }
  const required = Object.values(own).flatMap((property) => (property.required ? [property.api_name] : []));
  return { ...schema, required, properties: { ...systemFields, ...own } };
};

/** The field without the values of its value list, which are read with each version of the model. */
export const ownField = (field: Field): Field => {
  if (field.global_list_name === undefined) return field;
  const { values, ...own } = field;
  return own;
};

/** Indexes that are there are not stored. */
const storedField = (field: Field): Field => {
  const { index_status, index_failure: _, ...stored } = ownField(field);
  return index_status === "ready" ? stored : ownField(field);
};

/** The inverse of `resolveSchema`. */
export const storedSchema = (schema: ObjectSchema): StoredSchema => {
  const own = Object.entries(schema.properties)
    .filter(([name]) => !Object.hasOwn(systemFields, name))
    .map(([name, field]) => [name, storedField(field)]);
  return { _id: schema.id, ...schema, properties: Object.fromEntries(own) };
};

/** Whether writes of this operation are checked by rules. */
export const hasRules = ({ validation_rules }: ObjectSchema, operation: RuleOperation): boolean =>
  validation_rules.some(({ active, on }) => active && on.includes(operation));
