import { isObject } from "#shared/foundation/is-object";
import type { Field } from "../object-schema.ts";
import { addReference, fail, type Reference, type ValidationContext, within } from "./validation.ts";

const LONGEST_ID = 200;
const MOST = 1_000;
const parts = new Set(["id", "schema", "name"]);

const isId = (value: unknown): value is string =>
  typeof value === "string" && value.length > 0 && value.length <= LONGEST_ID && value.isWellFormed();

/** Accepts an id, or `{id, schema, name}` as in replies. The name is ignored, because it is read from the record. */
const partsOf = (value: unknown, context: ValidationContext): { id: string; schema: unknown } | undefined => {
  if (isId(value)) return { id: value, schema: undefined };
  if (!isObject(value) || !isId(value.id)) {
    return fail(context, "reference", "Expected the id of a record, or an object with its id.", value);
  }
  const extra = Object.keys(value).find((key) => !parts.has(key));
  if (extra !== undefined) return fail(within(context, extra), "extra_forbidden", "Expected id, schema and name only.");
  return { id: value.id, schema: value.schema };
};

/** A reference to a record of the field's object. */
export const lookupValue = (value: unknown, field: Field, context: ValidationContext): Reference | undefined => {
  const found = partsOf(value, context);
  if (found === undefined) return undefined;
  const target = field.schema ?? "";
  if (found.schema !== undefined && found.schema !== null && String(found.schema).toLowerCase() !== target) {
    return fail(within(context, "schema"), "reference", `This field points to "${target}" records.`, found.schema);
  }
  return addReference(context, target, found.id);
};

/** References to records of the field's object, without duplicates. */
export const lookupListValue = (value: unknown, field: Field, context: ValidationContext): unknown => {
  if (!Array.isArray(value)) return fail(context, "array_type", "Expected an array of references.", value);
  if (value.length > MOST) return fail(context, "too_big", `Expected at most ${MOST} references.`);
  const found = new Map<string, Reference>();
  for (const [index, item] of value.entries()) {
    const reference = lookupValue(item, field, within(context, index));
    if (reference !== undefined && !found.has(reference.id)) found.set(reference.id, reference);
  }
  return [...found.values()];
};

/** A reference to a record of any object. `schema` is required. */
export const compoundLookupValue = (value: unknown, context: ValidationContext): Reference | undefined => {
  const found = partsOf(value, context);
  if (found === undefined) return undefined;
  if (typeof found.schema !== "string" || found.schema === "" || found.schema.length > 80) {
    return fail(context, "reference", "Expected an object with the id and the schema of the record.", value);
  }
  return addReference(context, found.schema.toLowerCase(), found.id);
};

const levels = new Set(["read", "edit", "delete"]);

/** The value of `shared_with`: `[{user, access}]`, each user once. */
export const sharesValue = (value: unknown, context: ValidationContext): unknown => {
  if (!Array.isArray(value)) return fail(context, "array_type", "Expected an array of {user, access}.", value);
  if (value.length > MOST) return fail(context, "too_big", `Expected at most ${MOST} users.`);
  const shares = new Map<string, { user: Reference; access: string }>();
  for (const [index, item] of value.entries()) {
    const inner = within(context, index);
    if (!isObject(item) || Object.keys(item).some((key) => key !== "user" && key !== "access")) {
      fail(inner, "object_type", "Expected {user, access}.", item);
      continue;
    }
    const found = partsOf(item.user, within(inner, "user"));
    if (typeof item.access !== "string" || !levels.has(item.access)) {
      fail(within(inner, "access"), "enum", 'Expected "read", "edit" or "delete".', item.access);
    } else if (found !== undefined && shares.has(found.id)) {
      fail(within(inner, "user"), "duplicate", "This user is named twice.");
    } else if (found !== undefined) {
      shares.set(found.id, { user: addReference(within(inner, "user"), "user", found.id), access: item.access });
    }
  }
  return [...shares.values()];
};
