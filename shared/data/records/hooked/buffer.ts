import { BSON, type ClientSession, type Collection } from "mongodb";
import { now, nowMillis } from "#shared/foundation/clock";
import { Fault } from "#shared/foundation/faults";
import { log } from "#shared/foundation/log";
import {
  BUFFERED_WRITE_COLLECTION,
  type BufferedWrite,
  type OrganizationState,
  STATE_COLLECTION,
  type Tenant,
} from "#shared/tenant/tenant";
import type { WriteScope } from "../hooks.ts";
import { referenceNameOf } from "../stored-record.ts";
import type { CreatedNames } from "../target.ts";

/** Of all writes of the sync triggers of one write. */
const MOST_RECORDS = 500;
const MOST_BYTES = 4 * 1024 * 1024;

/** Longer than any request. What a killed process leaves is deleted then. */
const KEPT_MS = 60 * 60_000;

/** The document of a buffer itself, which numbers and counts its writes. */
interface Counts {
  _id: string;
  writes: number;
  records: number;
  bytes: number;
  expires_at: Date;
}

export type NewWrite = Omit<BufferedWrite, "_id" | "writes" | "expires_at">;

/**
 * The writes of the sync triggers of one write, until its transaction. They are kept in the database, because triggers
 * write through another function.
 */
export interface WriteBuffer {
  /** `isOwn`: the write that runs the triggers; it does not count. Raises `validation_failed` for too many. */
  add(write: NewWrite, isOwn: boolean): Promise<BufferedWrite>;
  /** All writes in their order, or those of some records. */
  read(of?: { readonly object: string; readonly ids: readonly string[] }): Promise<BufferedWrite[]>;
  /** The names of the records that its writes create. */
  createdNames(): Promise<CreatedNames>;
  /** Drops what a failed write has added. Never raises. */
  drop(): Promise<void>;
  /** Deletes everything, in the transaction that carries it out. */
  clear(session: ClientSession): Promise<void>;
}

const INDEX = "expires_at";

const ensureIndex = async (tenant: Tenant): Promise<void> => {
  if (tenant.state.indexed?.[BUFFERED_WRITE_COLLECTION] === INDEX) return;
  await tenant.collection(BUFFERED_WRITE_COLLECTION).createIndex({ [INDEX]: 1 }, { expireAfterSeconds: 0 });
  await tenant
    .collection<OrganizationState>(STATE_COLLECTION)
    .updateOne({ _id: tenant.organization_id }, { $set: { [`indexed.${BUFFERED_WRITE_COLLECTION}`]: INDEX } });
};

const tooMany = (): Fault => {
  const msg = `The triggers of one write may write ${MOST_RECORDS} records and ${MOST_BYTES / 1024 / 1024} MiB at most.`;
  return new Fault("validation_failed", { issues: [{ loc: ["body"], msg, type: "trigger_limit" }] });
};

export const writeBuffer = (tenant: Tenant, { buffer, writes }: WriteScope): WriteBuffer => {
  const counts: Collection<Counts> = tenant.collection<Counts>(BUFFERED_WRITE_COLLECTION);
  const stored: Collection<BufferedWrite> = tenant.collection<BufferedWrite>(BUFFERED_WRITE_COLLECTION);
  const all = { _id: { $gte: `${buffer}/`, $lt: `${buffer}0` } };

  const numbered = async (records: number, bytes: number): Promise<number> => {
    const after = await counts.findOneAndUpdate(
      { _id: buffer },
      { $inc: { writes: 1, records, bytes }, $setOnInsert: { expires_at: new Date(nowMillis() + KEPT_MS) } },
      { upsert: true, returnDocument: "after" },
    );
    if (after === null) throw new Error("The buffer was not stored.");
    if (after.records > MOST_RECORDS || after.bytes > MOST_BYTES) throw tooMany();
    return after.writes;
  };

  return {
    add: async (write, isOwn) => {
      await ensureIndex(tenant);
      const document = { ...write, writes: [...writes], expires_at: new Date(now().getTime() + KEPT_MS) };
      const bytes = BSON.calculateObjectSize(document, { ignoreUndefined: true });
      const number = await numbered(isOwn ? 0 : write.records.length, isOwn ? 0 : bytes);
      const numberedWrite = { _id: `${buffer}/${String(number).padStart(6, "0")}`, ...document };
      await stored.insertOne(numberedWrite);
      return numberedWrite;
    },
    read: (of) =>
      stored
        .find(of === undefined ? all : { ...all, object: of.object, "records.id": { $in: [...of.ids] } })
        .sort({ _id: 1 })
        .toArray(),
    createdNames: async () => {
      const projection = { object: 1, "records.id": 1, "records.changes.name": 1 };
      const created = await stored.find({ ...all, operation: "create" }, { projection }).toArray();
      const names = new Map<string, Map<string, string | null>>();
      for (const { object, records } of created) {
        const own = names.get(object) ?? new Map<string, string | null>();
        for (const { id, changes } of records) own.set(id, referenceNameOf({ name: changes?.name }));
        names.set(object, own);
      }
      return names;
    },
    drop: async () => {
      const whole = { _id: { $gte: buffer, $lt: `${buffer}0` } };
      const own = writes.at(-1) ?? "";
      const match = writes.length === 1 ? whole : { ...all, writes: own };
      try {
        await stored.deleteMany(match);
      } catch (err) {
        log.warn({ organization: tenant.organization_id, err }, "buffered writes were not dropped; they expire");
      }
    },
    clear: async (session) => {
      await stored.deleteMany({ _id: { $gte: buffer, $lt: `${buffer}0` } }, { session });
    },
  };
};
