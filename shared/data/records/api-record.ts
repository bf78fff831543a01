import type { Document } from "mongodb";
import { type NameMask, nameMaskOf, type ValueMask, valueMaskOf, withoutNames } from "#shared/data/access/access";
import { boundedCache, estimateBytes } from "#shared/foundation/bounded-cache";
import { arrayBatches, cutRows } from "#shared/foundation/cut-rows";
import { replyMeter } from "#shared/foundation/reply-size";
import type { Target } from "./target.ts";

/** A record as callers see it. Points in time are Dates until they are serialized. */
export type ApiRecord = { id: string } & Record<string, unknown>;

interface VisibleFields {
  readonly fields: readonly string[];
  /** The fields with references of which some names are hidden. */
  readonly masks: readonly (readonly [string, NameMask])[];
  /** The sensitive fields whose values are masked. */
  readonly masked: readonly (readonly [string, ValueMask])[];
  /** The encrypted fields whose values are shown. */
  readonly encrypted: readonly string[];
}

/** Numbers objects by identity. Accesses and schemas are cached by version, so one object is one version. */
const numbers = new WeakMap<object, number>();
let lastNumber = 0;

const numberOf = (value: object): number => {
  const known = numbers.get(value);
  if (known !== undefined) return known;
  lastNumber += 1;
  numbers.set(value, lastNumber);
  return lastNumber;
};

/** The visible fields by access and schema. The strings are those of the schema, so only the array counts. */
const visibleCache = boundedCache<VisibleFields>({
  mostBytes: 8 * 1024 * 1024,
  bytesOf: ({ fields, masks, masked, encrypted }) =>
    100 + 8 * (fields.length + encrypted.length) + estimateBytes(masks) + 50 * masked.length,
});

const visibleFieldsOf = ({ access, schema, object }: Target): VisibleFields => {
  const key = `${numberOf(access)}/${numberOf(schema)}`;
  const known = visibleCache.get(key);
  if (known !== undefined) return known;
  const shown = Object.entries(schema.properties).filter(
    ([name]) => name !== "id" && access.fieldReadable(object, name),
  );
  const found: VisibleFields = {
    fields: shown.map(([name]) => name),
    masks: shown.flatMap(([name, field]) => {
      const mask = nameMaskOf(field, access.named);
      return mask === null ? [] : [[name, mask] as const];
    }),
    encrypted: shown.flatMap(([name, field]) =>
      field.encrypted === true && valueMaskOf(field, access) === null ? [name] : [],
    ),
    masked: shown.flatMap(([name, field]) => {
      const mask = valueMaskOf(field, access);
      return mask === null ? [] : [[name, mask] as const];
    }),
  };
  visibleCache.set(key, found);
  return found;
};

/**
 * Makes records for callers: the fields of the schema that the caller may read, in the order of the schema, null
 * without a value. Left out are stored fields that the schema does not have, and names in references to objects that
 * the caller may not read. Masked values are replaced by their mask, and encrypted ones are decrypted. Raises
 * `dependency_unavailable` if they cannot be.
 */
export const apiRecordOf = async (target: Target): Promise<(document: Document) => ApiRecord> => {
  const { fields, masks, masked, encrypted } = visibleFieldsOf(target);
  const decrypt = encrypted.length === 0 ? null : await (await encryptedValues()).decryptorOf(target);
  return (document) => {
    const record: ApiRecord = { id: document._id };
    for (const name of fields) record[name] = document[name] ?? null;
    for (const [name, mask] of masks) record[name] = withoutNames(record[name], mask);
    for (const [name, { shown }] of masked) record[name] = shown;
    if (decrypt !== null) for (const name of encrypted) record[name] = decrypt(document, name) ?? null;
    return record;
  };
};

/** Loaded for objects with encrypted fields: the client of KMS takes time to load. */
export const encryptedValues = () => import("./encrypted-values.ts");

export interface Written {
  readonly records: ApiRecord[];
  /** The reply would be too large: the last records have their ids alone. */
  readonly truncated: boolean;
}

/** All written records, in order. Those beyond the limit of a reply have their ids alone. */
export const writtenOf = async (
  documents: readonly Document[],
  apiRecord: (document: Document) => ApiRecord,
): Promise<Written> => {
  const ids = documents.map(({ _id }) => ({ id: String(_id) }));
  const cut = await cutRows(arrayBatches(documents), apiRecord, { fits: replyMeter(ids) });
  const records = cut?.rows ?? [];
  return { records: [...records, ...ids.slice(records.length)], truncated: cut === null || cut.truncated };
};
