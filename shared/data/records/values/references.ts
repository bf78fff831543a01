import type { Field } from "#shared/data/schema/schema";
import { isObject } from "./json.ts";
import { fail, point, type Reference, type Spot, within } from "./report.ts";

const LONGEST_ID = 200;
const MOST = 1_000;
const parts = new Set(["id", "schema", "name"]);

const isId = (value: unknown): value is string =>
  typeof value === "string" && value.length > 0 && value.length <= LONGEST_ID && value.isWellFormed();

/** What comes back in a reply may be sent again: `{id, schema, name}`. Its name is looked up, never taken over. */
const partsOf = (value: unknown, spot: Spot): { id: string; schema: unknown } | undefined => {
  if (isId(value)) return { id: value, schema: undefined };
  if (!isObject(value) || !isId(value.id)) {
    return fail(spot, "reference", "Expected the id of a record, or an object with its id.", value);
  }
  const extra = Object.keys(value).find((key) => !parts.has(key));
  if (extra !== undefined) return fail(within(spot, extra), "extra_forbidden", "Expected id, schema and name only.");
  return { id: value.id, schema: value.schema };
};

/** One record of the object that the field points to. */
export const lookupValue = (value: unknown, field: Field, spot: Spot): Reference | undefined => {
  const found = partsOf(value, spot);
  if (found === undefined) return undefined;
  const target = field.schema ?? "";
  if (found.schema !== undefined && found.schema !== null && String(found.schema).toLowerCase() !== target) {
    return fail(within(spot, "schema"), "reference", `This field points to "${target}" records.`, found.schema);
  }
  return point(spot, target, found.id);
};

/** Several records of one object, each once. */
export const lookupListValue = (value: unknown, field: Field, spot: Spot): unknown => {
  if (!Array.isArray(value)) return fail(spot, "array_type", "Expected an array of references.", value);
  if (value.length > MOST) return fail(spot, "too_big", `Expected at most ${MOST} references.`);
  const found = new Map<string, Reference>();
  for (const [index, item] of value.entries()) {
    const reference = lookupValue(item, field, within(spot, index));
    if (reference !== undefined && !found.has(reference.id)) found.set(reference.id, reference);
  }
  return [...found.values()];
};

/** A record of any object, which therefore has to be named. */
export const compoundLookupValue = (value: unknown, spot: Spot): Reference | undefined => {
  const found = partsOf(value, spot);
  if (found === undefined) return undefined;
  if (typeof found.schema !== "string" || found.schema === "" || found.schema.length > 80) {
    return fail(spot, "reference", "Expected an object with the id and the schema of the record.", value);
  }
  return point(spot, found.schema.toLowerCase(), found.id);
};

const levels = new Set(["read", "edit", "delete"]);

/** `[{user, access}]`, each user once. */
export const sharesValue = (value: unknown, spot: Spot): unknown => {
  if (!Array.isArray(value)) return fail(spot, "array_type", "Expected an array of {user, access}.", value);
  if (value.length > MOST) return fail(spot, "too_big", `Expected at most ${MOST} users.`);
  const shares = new Map<string, { user: Reference; access: string }>();
  for (const [index, item] of value.entries()) {
    const place = within(spot, index);
    if (!isObject(item) || Object.keys(item).some((key) => key !== "user" && key !== "access")) {
      fail(place, "object_type", "Expected {user, access}.", item);
      continue;
    }
    const found = partsOf(item.user, within(place, "user"));
    if (typeof item.access !== "string" || !levels.has(item.access)) {
      fail(within(place, "access"), "enum", 'Expected "read", "edit" or "delete".', item.access);
    } else if (found !== undefined && shares.has(found.id)) {
      fail(within(place, "user"), "duplicate", "This user is named twice.");
    } else if (found !== undefined) {
      shares.set(found.id, { user: point(within(place, "user"), "user", found.id), access: item.access });
    }
  }
  return [...shares.values()];
};
