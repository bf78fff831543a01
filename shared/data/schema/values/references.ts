import { isObject } from "#shared/foundation/is-object";
import type { Field } from "../object-schema.ts";
import { addReference, fail, type Reference, type ValidationContext, within } from "./validation.ts";

const LONGEST_ID = 200;
const MOST = 1_000;
/** Each share of a record is a key of an index. */
const MOST_SHARES = 200;
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

interface Share {
  readonly user?: Reference;
  readonly role?: Reference;
  readonly access: string;
}

const holders = ["user", "role"] as const;

/** `{user, access}` or `{role, access}`; undefined with issues. */
const shareOf = (item: unknown, context: ValidationContext): Share | undefined => {
  const holder = isObject(item) ? holders.find((name) => item[name] !== undefined) : undefined;
  if (!isObject(item) || holder === undefined || Object.keys(item).some((key) => key !== holder && key !== "access")) {
    return fail(context, "object_type", "Expected {user, access} or {role, access}.", item);
  }
  const { access } = item;
  const inner = within(context, holder);
  const found = partsOf(item[holder], inner);
  if (typeof access !== "string" || !levels.has(access)) {
    return fail(within(context, "access"), "enum", 'Expected "read", "edit" or "delete".', access);
  }
  if (found === undefined) return undefined;
  if (found.schema !== undefined && found.schema !== null && found.schema !== holder) {
    return fail(within(inner, "schema"), "reference", `This names a "${holder}" record.`, found.schema);
  }
  return { [holder]: addReference(inner, holder, found.id), access };
};

/** The value of `shared_with`: `[{user, access}, {role, access}]`, each user and role once. */
export const sharesValue = (value: unknown, context: ValidationContext): unknown => {
  if (!Array.isArray(value)) return fail(context, "array_type", "Expected an array of {user or role, access}.", value);
  if (value.length > MOST_SHARES) return fail(context, "too_big", `Expected at most ${MOST_SHARES} users and roles.`);
  const shares = new Map<string, Share>();
  for (const [index, item] of value.entries()) {
    const inner = within(context, index);
    const share = shareOf(item, inner);
    if (share === undefined) continue;
    const key = `${share.user?.id ?? ""} ${share.role?.id ?? ""}`;
    if (!shares.has(key)) shares.set(key, share);
    else if (share.user) fail(within(inner, "user"), "duplicate", "This user is named twice.");
    else fail(within(inner, "role"), "duplicate", "This role is named twice.");
  }
  return [...shares.values()];
};
