import { MongoServerError } from "mongodb";
import { v7 as uuidv7 } from "uuid";
import { nowMillis } from "#shared/foundation/clock";
import { Fault } from "#shared/foundation/faults";
import { PLACES_COLLECTION, type SlowQueries, type TenantDatabase } from "#shared/tenant/tenant";
import { queryLimits } from "../limits.ts";

/** MongoDB's MaxTimeMSExpired and ExceededTimeLimit. */
const timeLimitCodes: readonly unknown[] = [50, 262];

export const exceededTimeLimit = (error: unknown): boolean =>
  error instanceof MongoServerError && timeLimitCodes.includes(error.code);

/** The organization's one document. */
const ONLY = "slow_queries";

type Places = Pick<TenantDatabase, "collection">;

/** Takes a free place in one command. A place whose time is over is free, also if its holder never gave it back. */
const takePlace = async ({ collection }: Places): Promise<string> => {
  const id = uuidv7();
  const now = nowMillis();
  const place = { id, until: new Date(now + queryLimits.maxTimeMilliseconds + queryLimits.freeMilliseconds) };
  const isHeld = { $gt: ["$$one.until", new Date(now)] };
  const after = await collection<SlowQueries>(PLACES_COLLECTION).findOneAndUpdate(
    { _id: ONLY },
    [
      { $set: { running: { $filter: { input: { $ifNull: ["$running", []] }, as: "one", cond: isHeld } } } },
      {
        $set: {
          running: {
            $cond: [
              { $lt: [{ $size: "$running" }, queryLimits.slowAtOnce] },
              { $concatArrays: ["$running", [place]] },
              "$running",
            ],
          },
        },
      },
    ],
    { upsert: true, returnDocument: "after" },
  );
  if (after?.running.some((one) => one.id === id)) return id;
  throw new Fault("too_many_queries", {
    message:
      `${queryLimits.slowAtOnce} queries of your organization that take longer than ` +
      `${queryLimits.freeMilliseconds / 1000} s are under way; try again when one has ended.`,
    headers: { "retry-after": "1" },
  });
};

/**
 * Runs a read of unknown cost. If it takes longer than a second, it is started again in one of the organization's places
 * for slow queries, so that no organization uses up all execution environments and the database's time. Raises
 * `too_many_queries`.
 */
export const withSlowQueryPlace = async <T>(places: Places, read: (maxTimeMS: number) => Promise<T>): Promise<T> => {
  try {
    return await read(queryLimits.freeMilliseconds);
  } catch (error) {
    if (!exceededTimeLimit(error)) throw error;
  }
  const id = await takePlace(places);
  try {
    return await read(queryLimits.maxTimeMilliseconds);
  } finally {
    await places.collection<SlowQueries>(PLACES_COLLECTION).updateOne({ _id: ONLY }, { $pull: { running: { id } } });
  }
};
