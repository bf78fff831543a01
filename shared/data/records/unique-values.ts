import { type Field, isEncryptedValue } from "#shared/data/schema/schema";
import { Fault } from "#shared/foundation/faults";
import { isObject } from "#shared/foundation/is-object";
import type { Changes } from "./check-record.ts";
import { duplicateKey } from "./indexes.ts";
import type { Target } from "./target.ts";

const keyOf = (value: unknown): string => {
  if (value instanceof Date) return value.toISOString();
  if (isEncryptedValue(value)) return value.hash ?? "";
  return JSON.stringify(isObject(value) && typeof value.id === "string" ? value.id : value);
};

const taken = (field: string, where: string, cause?: unknown): Fault =>
  new Fault("duplicate_value", {
    message: `The value of "${field}"${where} is held by another record already.`,
    cause,
  });

const refuseRepeated = (field: Field, batch: readonly Changes[]): void => {
  const first = new Map<string, number>();
  for (const [index, changes] of batch.entries()) {
    const value = changes[field.api_name];
    if (value === undefined || value === null) continue;
    const key = keyOf(value);
    const earlier = first.get(key);
    if (earlier !== undefined) {
      throw new Fault("duplicate_value", {
        message: `The records at index ${earlier} and ${index} have the same value of "${field.api_name}", which is unique.`,
      });
    }
    first.set(key, index);
  }
};

/** Refuses equal unique values within one batch. Raises `duplicate_value`. */
export const refuseRepeatedValues = ({ schema }: Target, batch: readonly Changes[]): void => {
  if (batch.length < 2) return;
  for (const field of Object.values(schema.properties)) {
    if (field.unique === true && field.system !== true) refuseRepeated(field, batch);
  }
};

/** Translates a duplicate-key error of the database to `duplicate_value`. Other errors stay as they are. */
export const toDuplicateValue = ({ schema }: Target, error: unknown, batchSize: number): unknown => {
  const duplicate = duplicateKey(error);
  if (duplicate?.field === undefined) return error;
  const { sensitive, encrypted } = schema.properties[duplicate.field] ?? {};
  if (sensitive === true || encrypted === true) {
    return new Fault("duplicate_value", { message: `The value of "${duplicate.field}" is taken.` });
  }
  const where = batchSize > 1 && duplicate.index !== undefined ? ` of the record at index ${duplicate.index}` : "";
  return taken(duplicate.field, where, error);
};
