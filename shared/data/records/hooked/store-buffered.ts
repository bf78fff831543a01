import { createHash } from "node:crypto";
import { BSON, type ClientSession } from "mongodb";
import { newValidationReport } from "#shared/data/schema/schema";
import { type BufferedWrite, StaleWrite, type Tenant } from "#shared/tenant/tenant";
import { changeRecords, followChange } from "../change-records.ts";
import type { Batch } from "../check-record.ts";
import { deleteRecords } from "../delete-records.ts";
import { insertRecords } from "../insert-records.ts";
import { notifyOwnersOfChanges } from "../owner-notices.ts";
import { confirmNames } from "../renames/renames.ts";
import type { StoredRecord } from "../stored-record.ts";
import { type Target, targetOf } from "../target.ts";
import { toDuplicateValue } from "../unique-values.ts";
import type { NewWrite } from "./buffer.ts";

/** What follows a write after its commit. */
export type Follow = () => Promise<void>;

/** Identifies the state of a record. Both sides are read from the database, so their fields have one order. */
export const hashOf = (record: StoredRecord): string =>
  createHash("sha256").update(BSON.serialize(record)).digest("base64url");

/** Raises `StaleWrite` if a record has changed since its write was checked and its triggers ran. */
export const refuseStale = async (
  tenant: Tenant,
  writes: readonly Pick<NewWrite, "object" | "seen">[],
  session: ClientSession,
): Promise<void> => {
  for (const [object, some] of Map.groupBy(writes, (write) => write.object)) {
    const seen = some.flatMap((write) => write.seen);
    if (seen.length === 0) continue;
    const ids = [...new Set(seen.map(({ id }) => id))];
    const stored = await tenant
      .collection<StoredRecord>(object)
      .find({ _id: { $in: ids } }, { session })
      .toArray();
    const hashes = new Map(stored.map((record) => [record._id, hashOf(record)]));
    if (seen.some(({ id, hash }) => hashes.get(id) !== hash)) throw new StaleWrite("A record has changed.");
  }
};

const batchOf = ({ references }: BufferedWrite): Batch => ({
  report: { ...newValidationReport(), references: references.map((reference) => ({ reference, at: ["body"] })) },
  forbidden: new Set(),
});

type Joined = BufferedWrite & { readonly times: readonly Date[] };

const store = async (target: Target, write: Joined, session: ClientSession): Promise<Follow> => {
  const { operation, records, at } = write;
  const batch = batchOf(write);
  const context = { report: batch.report, at: ["body"], secret: false };
  if (operation === "create") {
    const pending = records.map(({ id, changes }, index) => ({
      id,
      changes: changes ?? {},
      at: write.times[index] ?? at,
    }));
    await insertRecords(target, pending, { batch, contexts: () => context, at }, session);
    return () => confirmNames(target.tenant, write.references);
  }
  if (operation === "update") {
    const patches = records.map(({ id, changes }) => ({ id, changes: changes ?? {}, context }));
    const kept = { references: [], choices: [] };
    const done = await changeRecords(target, { ...batch, patches, kept, at }, session);
    return () => followChange(target, batch, done);
  }
  const ids = records.map(({ id }) => id);
  const written = await deleteRecords(target, ids, () => ["body"], session);
  return () => notifyOwnersOfChanges(target, written);
};

/** Joins neighbours that create records of one object: a trigger may create hundreds, one by one. */
const joined = (writes: readonly BufferedWrite[]): Joined[] => {
  const all: (BufferedWrite & { times: Date[] })[] = [];
  for (const write of writes) {
    const last = all.at(-1);
    const joins = last?.operation === "create" && write.operation === "create" && last.object === write.object;
    const times = write.records.map(() => write.at);
    if (joins) {
      last.records.push(...write.records);
      last.references.push(...write.references);
      last.times.push(...times);
    } else all.push({ ...write, records: [...write.records], references: [...write.references], times });
  }
  return all;
};

/** Stores what sync triggers have written, in the transaction of the write that ran them. */
export const storeBuffered = async (
  tenant: Tenant,
  writes: readonly BufferedWrite[],
  session: ClientSession,
): Promise<Follow> => {
  const follows: Follow[] = [];
  for (const write of joined(writes)) {
    if (write.operation === "keep") {
      const kept = write.records.map(({ id, changes }) => ({ ...changes, _id: id, id }));
      await tenant.collection<StoredRecord>(write.object).insertMany(kept, { session });
      continue;
    }
    const target = await targetOf(tenant, write.object, write.operation);
    try {
      follows.push(await store(target, write, session));
    } catch (error) {
      throw toDuplicateValue(target, error, 1);
    }
  }
  return async () => {
    for (const follow of follows) await follow();
  };
};
