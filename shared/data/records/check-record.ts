import * as z from "zod";
import { LONGEST_CHOICE, MOST_CHOICES } from "#contracts/object-schema";
import {
  objectFieldPermissions,
  objectPermissions,
  permissionScopes,
  seesField,
  VALUE_MASK,
  valueMaskOf,
  writeHolderOf,
  writeOnlyFieldsOf,
} from "#shared/data/access/access";
import {
  type Field,
  fail,
  fieldValue,
  readOnlySystemFields,
  shortKey,
  type ValidationContext,
  type ValidationReport,
  within,
} from "#shared/data/schema/schema";
import { isCountryCode } from "#shared/foundation/countries";
import { didYouMean } from "#shared/foundation/did-you-mean";
import { isObject } from "#shared/foundation/is-object";
import { isTimeZone } from "#shared/foundation/time-zone";
import type { Target } from "./target.ts";

/** The values to write to one record. `null` removes the value. */
export type Changes = Record<string, unknown>;

/** Collects over a whole batch, so that one reply reports everything. */
export interface Batch {
  readonly report: ValidationReport;
  /** Fields that the caller may not write. */
  readonly forbidden: Set<string>;
}

const timeZone = z.custom<string>(isTimeZone, "Expected the name of a time zone, such as Europe/Berlin.");

const listName = z
  .string()
  .max(255, "Expected at most 255 characters.")
  .refine((name) => name === name.trim(), "Expected a name without blanks at its ends.");

const listValues = z
  .array(z.string().min(1).max(LONGEST_CHOICE), "Expected the choices.")
  .max(MOST_CHOICES)
  .superRefine((values, { addIssue }) => {
    const twice = values.findIndex((value, index) => values.indexOf(value) < index);
    if (twice >= 0) addIssue({ code: "custom", path: [twice], message: "This value is named twice." });
  });

const country = z.custom<string>(isCountryCode, "Expected a country as in ISO 3166-1 alpha-2, such as DE.");

const REQUIREMENT = "require_second_factor";

/** Values with a structure that the platform relies on. */
const shapes: Readonly<Record<string, Readonly<Record<string, z.ZodType>>>> = {
  permission: {
    object_permissions: objectPermissions,
    object_field_permissions: objectFieldPermissions,
    scopes: permissionScopes,
  },
  user: { time_zone: timeZone },
  value_list: { name: listName, values: listValues },
  organization: {
    settings: z.looseObject({
      time_zone: timeZone.nullish(),
      country: country.nullish(),
      [REQUIREMENT]: z.boolean().optional(),
      // A short retention would let an administrator erase the traces of what they did.
      audit_retention_days: z.int().min(90).max(36_500).nullish(),
    }),
  },
};

const checkShape = (object: string, name: string, value: unknown, context: ValidationContext): void => {
  const shape = shapes[object]?.[name];
  if (shape === undefined) return;
  for (const issue of shape.safeParse(value).error?.issues ?? []) {
    const inner = issue.path.reduce<ValidationContext>(
      (at, part) => within(at, typeof part === "number" ? part : String(part)),
      context,
    );
    fail(inner, issue.code, issue.message);
  }
};

/** An administrator without a second factor would lock themselves out by requiring one. */
const checkRequirement = ({ tenant, object }: Target, changes: Changes, context: ValidationContext): void => {
  const { settings } = changes;
  if (object !== "organization" || !isObject(settings) || settings[REQUIREMENT] !== true) return;
  if (tenant.caller.second_factor) return;
  const msg =
    "Your own session has no second factor. Set up an authenticator app first (POST /v1/auth/totp), then require " +
    "one of everybody.";
  fail(within(within(context, "settings"), REQUIREMENT), "second_factor_missing", msg);
};

/** Whether the field's values must not be echoed in errors. */
const isSecret = ({ sensitive, encrypted }: Field): boolean => sensitive === true || encrypted === true;

const isBlank = (value: unknown): boolean =>
  value === null || (typeof value === "string" && value.trim() === "") || (Array.isArray(value) && value.length === 0);

const unknownField = ({ schema, access, object }: Target, key: string, context: ValidationContext): void => {
  const readable = Object.keys(schema.properties).filter((name) => access.fieldReadable(object, name));
  const meant = didYouMean(key, readable);
  const hint = meant === undefined ? "" : ` Did you mean "${meant}"?`;
  fail(context, "extra_forbidden", `"${object}" has no field "${shortKey(key)}".${hint}`);
};

/** The field of a key that the caller may write; else undefined, with an issue or a forbidden field in the batch. */
const writableField = (
  target: Target,
  operation: "create" | "update",
  key: string,
  context: ValidationContext,
  batch: Batch,
): Field | undefined => {
  const { schema, access, object } = target;
  if (readOnlySystemFields.has(key)) return fail(context, "read_only", "The platform sets this field.");
  const field = Object.hasOwn(schema.properties, key) ? schema.properties[key] : undefined;
  const kept = writeHolderOf(object, key) !== undefined;
  // A field that the caller may neither read nor write does not exist for them.
  const exists = field !== undefined && seesField(access, object, key);
  if (!exists && !kept) {
    unknownField(target, key, context);
    return undefined;
  }
  if (field === undefined || !access.fieldWritable(object, key, operation)) {
    batch.forbidden.add(key);
    return undefined;
  }
  return field.format === "auto-number" ? fail(context, "read_only", "The platform numbers this field.") : field;
};

/**
 * Refuses the mask of a masked field, which a caller sends back who changes a record as it was shown. Null is the mask
 * of other values than texts, and no value for a new record.
 */
const isMaskSentBack = (
  { access }: Target,
  operation: "create" | "update",
  field: Field,
  value: unknown,
  context: ValidationContext,
): boolean => {
  const mask = valueMaskOf(field, access);
  const isMask = mask !== null && value === mask.shown && (value !== null || operation === "update");
  if (isMask) {
    const shown = value === null ? "null" : `"${VALUE_MASK}"`;
    const msg = `The value is masked for you, and ${shown} is its mask. Leave the field out to keep the value.`;
    fail(context, "masked_value", msg);
  }
  return isMask;
};

/** Validates the caller's fields. Gives the valid values to write, and adds issues to the batch. */
export const checkFields = (
  target: Target,
  operation: "create" | "update",
  data: Record<string, unknown>,
  context: ValidationContext,
  batch: Batch,
): Changes => {
  const changes: Changes = {};
  const writeOnly = writeOnlyFieldsOf(target.object);
  for (const [key, value] of Object.entries(data)) {
    const inner = within(context, key);
    const field = writableField(target, operation, key, inner, batch);
    if (field === undefined) continue;
    if (isMaskSentBack(target, operation, field, value, inner)) continue;
    if (field.required && isBlank(value)) {
      if (operation === "update" || value !== null) fail(inner, "missing", "This field needs a value.");
      continue;
    }
    const fieldContext = { ...inner, secret: isSecret(field) || writeOnly.includes(key) };
    const checked = value === null ? null : fieldValue(value, field, fieldContext);
    if (checked === undefined) continue;
    changes[key] = checked;
    if (checked !== null) checkShape(target.object, key, checked, fieldContext);
  }
  checkRequirement(target, changes, context);
  const shared = changes.shared_with;
  if (target.schema.exclusive_ownership && Array.isArray(shared) && shared.length > 0) {
    fail(within(context, "shared_with"), "exclusive_ownership", `"${target.object}" records cannot be shared.`);
  }
  return changes;
};

/**
 * Adds an issue if a record is no object. The value is not echoed for objects with secret fields: it may be a secret.
 */
export const recordOf = (
  { object, schema }: Target,
  data: unknown,
  context: ValidationContext,
): Record<string, unknown> | undefined => {
  if (isObject(data)) return data;
  const secret = writeOnlyFieldsOf(object).length > 0 || Object.values(schema.properties).some(isSecret);
  return fail({ ...context, secret }, "object_type", "Expected a record: an object of fields.", data);
};

/**
 * Fills in defaults, and adds issues for missing required fields unless they may follow. The keys of `data` were
 * checked before.
 */
export const fillDefaults = (
  { schema, access, object }: Target,
  data: Record<string, unknown>,
  changes: Changes,
  context: ValidationContext,
  requires = true,
): void => {
  for (const [name, field] of Object.entries(schema.properties)) {
    if (field.system === true || field.format === "auto-number") continue;
    const sent = Object.hasOwn(data, name) && data[name] !== null;
    if (sent) continue;
    const useDefault = !Object.hasOwn(data, name) && field.default !== undefined && field.default !== null;
    if (useDefault) {
      const inner = { ...within(context, name), secret: isSecret(field) };
      const value = fieldValue(structuredClone(field.default), field, inner);
      if (value !== undefined) changes[name] = value;
    } else if (field.required && requires) {
      if (seesField(access, object, name)) fail(within(context, name), "missing", "This field is required.");
      else fail(context, "missing", "You may not set all fields that are required.");
    }
  }
};
