import { MongoServerError } from "mongodb";
import { v7 as uuidv7 } from "uuid";
import { nowMillis } from "#shared/foundation/clock";
import { Fault } from "#shared/foundation/faults";
import type { TenantDatabase } from "./database.ts";
import { SLOW_READS_COLLECTION, type SlowReads } from "./documents.ts";

/** Bounds of a read of unknown cost. See docs/decisions/0024. */
export const slowReadLimits = {
  maxTimeMilliseconds: 20_000,
  /** A read that takes longer needs one of its organization's slots. */
  freeMilliseconds: 1_000,
  /** Slots of one organization. */
  slowAtOnce: 8,
} as const;

/** MongoDB's MaxTimeMSExpired and ExceededTimeLimit. */
const timeLimitCodes: readonly unknown[] = [50, 262];

export const exceededTimeLimit = (error: unknown): boolean =>
  error instanceof MongoServerError && timeLimitCodes.includes(error.code);

/** The `_id` of the organization's one document. */
const ONLY = "slow_queries";

type Database = Pick<TenantDatabase, "collection">;

/** Takes a free slot in one command. A slot whose time is over is free, even if its holder never gave it back. */
const takeSlot = async ({ collection }: Database): Promise<string> => {
  const id = uuidv7();
  const now = nowMillis();
  const { maxTimeMilliseconds, freeMilliseconds, slowAtOnce } = slowReadLimits;
  const slot = { id, until: new Date(now + maxTimeMilliseconds + freeMilliseconds) };
  const isHeld = { $gt: ["$$one.until", new Date(now)] };
  const after = await collection<SlowReads>(SLOW_READS_COLLECTION).findOneAndUpdate(
    { _id: ONLY },
    [
      { $set: { running: { $filter: { input: { $ifNull: ["$running", []] }, as: "one", cond: isHeld } } } },
      {
        $set: {
          running: {
            $cond: [{ $lt: [{ $size: "$running" }, slowAtOnce] }, { $concatArrays: ["$running", [slot]] }, "$running"],
          },
        },
      },
    ],
    { upsert: true, returnDocument: "after" },
  );
  if (after?.running.some((one) => one.id === id)) return id;
  throw new Fault("too_many_queries", {
    message:
      `${slowAtOnce} queries of your organization that take longer than ` +
      `${freeMilliseconds / 1000} s are under way; try again when one has ended.`,
    headers: { "retry-after": "1" },
  });
};

/**
 * Runs a read of unknown cost with a limit of one second. If it takes longer, it is started again in one of the
 * organization's slots for slow reads, so that no organization uses up all execution environments and the database's
 * time. Raises `too_many_queries`; what exceeds the limit of a slot raises the database's error (`exceededTimeLimit`).
 */
export const withSlowReadSlot = async <T>(database: Database, read: (maxTimeMS: number) => Promise<T>): Promise<T> => {
  try {
    return await read(slowReadLimits.freeMilliseconds);
  } catch (error) {
    if (!exceededTimeLimit(error)) throw error;
  }
  const id = await takeSlot(database);
  try {
    return await read(slowReadLimits.maxTimeMilliseconds);
  } finally {
    await database
      .collection<SlowReads>(SLOW_READS_COLLECTION)
      .updateOne({ _id: ONLY }, { $pull: { running: { id } } });
  }
};
