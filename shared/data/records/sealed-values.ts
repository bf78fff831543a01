import { Binary, type Document, type Filter } from "mongodb";
import { writeOnlyFieldsOf, writeOnlyObjects } from "#shared/data/access/access";
import { isObject } from "#shared/foundation/is-object";
import { openSecret, sealSecret } from "#shared/foundation/secrets/secrets";
import type { TenantDatabase } from "#shared/tenant/tenant";
import type { Changes } from "./check-record.ts";
import type { Target } from "./target.ts";

/** The location that a sealed value is bound to. It cannot be decrypted for another one. */
export interface SealedValueLocation {
  readonly organization: string;
  readonly object: string;
  /** The record's id. */
  readonly record: string;
  readonly field: string;
}

/** Concurrent calls to KMS, one for each value. */
const AT_ONCE = 20;

const bytesOf = (base64: string): Binary => new Binary(Buffer.from(base64, "base64"));

const sealValue = async (value: unknown, location: SealedValueLocation): Promise<Readonly<Record<string, Binary>>> => {
  const { key, iv, tag, text } = await sealSecret(Buffer.from(JSON.stringify(value)), { ...location });
  return { key: bytesOf(key), iv: bytesOf(iv), tag: bytesOf(tag), text: bytesOf(text) };
};

/** A caller's JSON has no binary data, so an unsealed value cannot be mistaken for a sealed one. */
const sealedOf = (stored: unknown) => {
  if (!isObject(stored)) return undefined;
  const { key, iv, tag, text } = stored;
  const all = key instanceof Binary && iv instanceof Binary && tag instanceof Binary && text instanceof Binary;
  return all ? { key, iv, tag, text } : undefined;
};

/**
 * The changes with the values of write-only fields encrypted, each with a data key of its own. Called before the
 * transaction. Raises `dependency_unavailable`.
 */
export const sealChanges = async (
  { tenant, object }: Target,
  records: readonly { readonly id: string; readonly changes: Changes }[],
): Promise<Changes[]> => {
  const fields = writeOnlyFieldsOf(object);
  const sealed = records.map(({ changes }) => ({ ...changes }));
  const due = records.flatMap(({ id, changes }, index) =>
    fields.flatMap((field) => {
      const value = changes[field];
      return value === undefined || value === null ? [] : [{ id, index, field, value }];
    }),
  );
  for (let from = 0; from < due.length; from += AT_ONCE) {
    const some = due.slice(from, from + AT_ONCE);
    const values = await Promise.all(
      some.map(({ id, field, value }) =>
        sealValue(value, { organization: tenant.organization_id, object, record: id, field }),
      ),
    );
    for (const [location, { index, field }] of some.entries())
      Object.assign(sealed[index] ?? {}, { [field]: values[location] });
  }
  return sealed;
};

/**
 * Decrypts a stored value, for the code that calls the vendor only: it must not get into a reply, query, log or error.
 * Values that were stored before sealing existed are returned unchanged. Raises `dependency_unavailable`.
 */
export const openValue = async (stored: unknown, location: SealedValueLocation): Promise<unknown> => {
  const sealed = sealedOf(stored);
  if (sealed === undefined) return stored;
  const { key, iv, tag, text } = sealed;
  const parts = { key: key.toString("base64"), iv: iv.toString("base64"), tag: tag.toString("base64") };
  const opened = await openSecret({ ...parts, text: text.toString("base64") }, { ...location });
  try {
    return JSON.parse(opened.toString("utf8"));
  } finally {
    opened.fill(0);
  }
};

interface UnsealedField {
  readonly object: string;
  readonly field: string;
  readonly filter: Filter<Document & { _id: string }>;
}

const unsealedFields = (): UnsealedField[] =>
  writeOnlyObjects().flatMap((object) =>
    writeOnlyFieldsOf(object).map((field) => ({
      object,
      field,
      filter: { [field]: { $exists: true, $ne: null }, [`${field}.text`]: { $not: { $type: "binData" } } },
    })),
  );

type Values = Pick<TenantDatabase, "organization_id" | "collection">;

/** The number of write-only values that are stored as they were sent. */
export const unsealedValues = async ({ collection }: Values): Promise<number> => {
  const counts = await Promise.all(
    unsealedFields().map(({ object, filter }) => collection<Document & { _id: string }>(object).countDocuments(filter)),
  );
  return counts.reduce((sum, count) => sum + count, 0);
};

/**
 * Seals the write-only values that are stored as they were sent, and gives their number. A value that changes meanwhile
 * is left alone, because it is sealed by whoever changes it. Raises `dependency_unavailable`.
 */
export const sealStoredValues = async ({ collection, organization_id: organization }: Values): Promise<number> => {
  let sealed = 0;
  for (const { object, field, filter } of unsealedFields()) {
    const records = collection<Document & { _id: string }>(object);
    for await (const { _id, [field]: value } of records.find(filter, { projection: { [field]: 1 } })) {
      const location = { organization, object, record: _id, field };
      const change = { $set: { [field]: await sealValue(value, location) } };
      const { modifiedCount } = await records.updateOne({ _id, [field]: { $eq: value } }, change);
      sealed += modifiedCount;
    }
  }
  return sealed;
};
