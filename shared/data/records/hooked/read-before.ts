import type { RecordRight } from "#shared/data/access/access";
import type { BufferedWrite } from "#shared/tenant/tenant";
import { merged, stampOf } from "../change-records.ts";
import { documentOf } from "../insert-records.ts";
import { readPermitted, requireRecords, type StoredRecord } from "../stored-record.ts";
import type { Target } from "../target.ts";
import type { WriteBuffer } from "./buffer.ts";
import type { Scope } from "./scope.ts";
import { hashOf } from "./store-buffered.ts";

type Records = Map<string, StoredRecord>;

/** Carries out buffered writes on records in memory. */
const applied = (target: Target, stored: Records, writes: readonly BufferedWrite[]): Records => {
  const records = new Map(stored);
  for (const { operation, records: written, at } of writes) {
    for (const { id, changes } of written) {
      const before = records.get(id);
      if (operation === "delete") records.delete(id);
      else if (operation === "create") records.set(id, documentOf(target, { id, changes: changes ?? {} }, at));
      else if (before !== undefined) records.set(id, merged(before, { ...changes, ...stampOf(target.tenant, at) }));
    }
  }
  return records;
};

/** These records with the writes that wait for the same transaction. */
export const withBuffered = async (
  target: Target,
  buffer: WriteBuffer,
  documents: readonly StoredRecord[],
): Promise<StoredRecord[]> => {
  const writes = await buffer.read({ object: target.object, ids: documents.map(({ _id }) => _id) });
  const records = applied(target, new Map(documents.map((one) => [one._id, one])), writes);
  return documents.map((one) => records.get(one._id) ?? one);
};

interface Before {
  /** In the order of the ids, with the writes that wait for the same transaction. */
  readonly records: readonly StoredRecord[];
  readonly seen: BufferedWrite["seen"];
}

/** Reads the records of a write before its triggers run. Raises `record_not_found` and `forbidden`. */
export const readBefore = async (
  target: Target,
  { buffer, isInner }: Scope,
  ids: readonly string[],
  neededFor: (record: StoredRecord) => RecordRight,
): Promise<Before> => {
  const found = await readPermitted(target, ids);
  const waiting = isInner ? await buffer.read({ object: target.object, ids }) : [];
  const records = applied(target, new Map(found.map((one) => [one._id, one])), waiting);
  return {
    records: requireRecords(target, ids, [...records.values()], neededFor),
    seen: found.map((record) => ({ id: record._id, hash: hashOf(record) })),
  };
};
