import { isDeepStrictEqual } from "node:util";
import type { Document } from "mongodb";
import { Fault } from "#shared/foundation/faults";
import { exceededTimeLimit, type Tenant, withSlowReadSlot } from "#shared/tenant/tenant";
import { type EncryptedValue, isEncryptedValue } from "./encryption/encrypted-value.ts";
import { equalValues, equalValuesSentence } from "./equal-values.ts";
import { fieldIndexOf, isReference } from "./field-index.ts";
import type { Field } from "./object-schema.ts";
import { fieldValue } from "./values/field-value.ts";
import { newValidationReport } from "./values/validation.ts";

/** The stored value as a caller would send it. */
const sentForm = (value: unknown): unknown => (value instanceof Date ? value.toISOString() : value);

/** The text of an encrypted value is not read: its format may change only while there are no values. */
const fitsEncrypted = (stored: EncryptedValue, field: Field): boolean =>
  field.encrypted === true && (stored.hash !== undefined) === (fieldIndexOf(field) !== null);

const fits = (stored: unknown, field: Field): boolean => {
  if (isEncryptedValue(stored)) return fitsEncrypted(stored, field);
  if (field.encrypted === true) return false;
  const report = newValidationReport();
  const value = fieldValue(structuredClone(sentForm(stored)), field, { report, at: [], secret: true });
  if (report.issues.length > 0 || value === undefined) return false;
  return isReference(field) || isDeepStrictEqual(value, stored);
};

const inTime = async <T>(tenant: Tenant, read: (maxTimeMS: number) => Promise<T>): Promise<T> => {
  try {
    return await withSlowReadSlot(tenant, read);
  } catch (error) {
    if (!exceededTimeLimit(error)) throw error;
    throw new Fault("values_do_not_fit", { message: "There are too many records to check their values in time." });
  }
};

/** Raises `values_do_not_fit` if a stored record holds a value that one of the fields would refuse. Reads them once. */
export const refuseUnfitValues = (tenant: Tenant, object: string, fields: readonly Field[]): Promise<void> =>
  inTime(tenant, async (maxTimeMS) => {
    const names = fields.map(({ api_name }) => api_name);
    const [only, ...others] = names;
    const filter = only !== undefined && others.length === 0 ? { [only]: { $exists: true } } : {};
    const projection = Object.fromEntries(["_id", ...names].map((name) => [name, 1]));
    const records = tenant.collection<Document & { _id: string }>(object).find(filter, { projection, maxTimeMS });
    for await (const record of records) {
      const unfit = fields.find((field) => {
        const value = record[field.api_name] ?? null;
        return value !== null && !fits(value, field);
      });
      if (unfit === undefined) continue;
      throw new Fault("values_do_not_fit", {
        message: `The record "${record._id}" of "${object}" holds a value that does not fit "${unfit.api_name}". Change or remove such values first.`,
      });
    }
  });

/** Raises `values_do_not_fit` with their number if records hold values of the field. */
export const refuseHeldValues = (tenant: Tenant, object: string, { api_name }: Field, change: string): Promise<void> =>
  inTime(tenant, async (maxTimeMS) => {
    const count = await tenant.collection(object).countDocuments({ [api_name]: { $ne: null } }, { maxTimeMS });
    if (count === 0) return;
    const held = count === 1 ? "1 record holds a value" : `${count} records hold values`;
    throw new Fault("values_do_not_fit", {
      message: `${held} of "${api_name}" in "${object}". ${change} Remove the values first, and write them again.`,
    });
  });

/** Raises `duplicate_value` if stored records hold equal values of a field that is to be unique. */
export const refuseEqualValues = (tenant: Tenant, object: string, field: Field): Promise<void> =>
  inTime(tenant, async (maxTimeMS) => {
    const found = await equalValues(tenant, object, field, maxTimeMS);
    if (found.count > 0) throw new Fault("duplicate_value", { message: equalValuesSentence(object, field, found) });
  });

/** Raises `values_do_not_fit` and `duplicate_value` if stored records hold values that new fields would refuse. */
export const refuseUnfitRecords = async (tenant: Tenant, object: string, fields: readonly Field[]): Promise<void> => {
  await refuseUnfitValues(tenant, object, fields);
  for (const field of fields.filter(({ unique }) => unique === true)) await refuseEqualValues(tenant, object, field);
};
