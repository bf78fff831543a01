import { randomInt } from "node:crypto";
import type { ClientSession, Db } from "mongodb";
import { WRITE_FENCE_COLLECTION, type WriteFence } from "./documents.ts";
import { sandboxRefreshing } from "./gate.ts";

/** So many that concurrent writers seldom choose the same one, which makes one of them start again. */
const DOCUMENTS = 16;

const ids: readonly string[] = Array.from({ length: DOCUMENTS }, (_, index) => String(index));

const fencesOf = (db: Db) => db.collection<WriteFence>(WRITE_FENCE_COLLECTION);

/** Creates the fence of a sandbox, open for writers of this generation. Repeatable. */
export const createFence = async (db: Db, generation: string): Promise<void> => {
  await fencesOf(db).bulkWrite(
    ids.map((_id) => ({
      updateOne: { filter: { _id }, update: { $set: { generation }, $setOnInsert: { writes: 0 } }, upsert: true },
    })),
  );
};

/**
 * Closes the fence. It waits for the transactions that have taken one of its documents, at most `maxTimeMS`; then it
 * raises MaxTimeMSExpired, and the fence may be closed in part. After it no write of any earlier generation can be
 * committed. Repeatable.
 */
export const closeFence = async (db: Db, maxTimeMS: number): Promise<void> => {
  await fencesOf(db).updateMany({ generation: { $ne: null } }, { $set: { generation: null } }, { maxTimeMS });
};

/** Opens the fence for writers of this generation. Repeatable. Raises an error if there is no fence. */
export const openFence = async (db: Db, generation: string): Promise<void> => {
  const { matchedCount } = await fencesOf(db).updateMany({}, { $set: { generation } });
  if (matchedCount !== DOCUMENTS) throw new Error(`${db.databaseName} has no complete write fence.`);
};

/**
 * Takes one of the fence's documents in the transaction, which then holds the fence open until it ends. It must be the
 * first command of the transaction, so that everything read in it belongs to this generation. Raises
 * `sandbox_refreshing` if the fence is closed or open for another generation.
 */
export const passFence = async (db: Db, generation: string | null, session: ClientSession): Promise<void> => {
  // A database without a generation has never been opened for writers, and must not match a closed fence.
  if (generation === null) throw sandboxRefreshing();
  const _id = String(randomInt(DOCUMENTS));
  const { matchedCount } = await fencesOf(db).updateOne({ _id, generation }, { $inc: { writes: 1 } }, { session });
  if (matchedCount === 0) throw sandboxRefreshing();
};
