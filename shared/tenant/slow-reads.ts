import { MongoServerError } from "mongodb";
import { v7 as uuidv7 } from "uuid";
import { nowMillis } from "#shared/foundation/clock";
import { Fault } from "#shared/foundation/faults";
import type { TenantDatabase } from "./database.ts";
import { SLOW_READS_COLLECTION } from "./documents.ts";
import { giveSlotBack, takeSlot } from "./slots.ts";

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

const place = { collection: SLOW_READS_COLLECTION, kind: "slow_queries" };

type Database = Pick<TenantDatabase, "collection">;

const take = async (database: Database): Promise<string> => {
  const id = uuidv7();
  const now = nowMillis();
  const { maxTimeMilliseconds, freeMilliseconds, slowAtOnce } = slowReadLimits;
  const slot = { id, until: new Date(now + maxTimeMilliseconds + freeMilliseconds) };
  if (await takeSlot(database, place, slot, { most: slowAtOnce, now: new Date(now) })) return id;
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
  const id = await take(database);
  try {
    return await read(slowReadLimits.maxTimeMilliseconds);
  } finally {
    await giveSlotBack(database, place, id);
  }
};
