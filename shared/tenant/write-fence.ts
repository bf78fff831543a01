import { randomInt } from "node:crypto";
import type { ClientSession, Db } from "mongodb";
import { WRITE_FENCE_COLLECTION, type WriteFence } from "./documents.ts";
import { sandboxRefreshing } from "./gate.ts";

/** So many that concurrent writers seldom choose the same one, which makes one of them start again. */
const DOCUMENTS = 16;

const ids: readonly string[] = Array.from({ length: DOCUMENTS }, (_, index) => String(index));

const fencesOf = (db: Db) => db.collection<WriteFence>(WRITE_FENCE_COLLECTION);

/** Creates what is missing of the fence of a sandbox, open for writers of this generation. Repeatable. */
export const createFence = async (db: Db, generation: string): Promise<void> => {
  await fencesOf(db).bulkWrite(
    ids.map((_id) => ({
      updateOne: { filter: { _id }, update: { $setOnInsert: { generation, writes: 0 } }, upsert: true },
    })),
  );
};

/**
 * Closes the fence. It waits for the transactions that have taken one of its documents, at most `maxTimeMS`; then it
 * raises MaxTimeMSExpired, and the fence may be closed in part. After it no write of any earlier generation can be
 * committed. Repeatable: a fence that is already open for the next generation is not closed again by a late attempt.
 */
export const closeFence = async (db: Db, next: string, maxTimeMS: number): Promise<void> => {
  const notOpened = { generation: { $ne: next } };
  await fencesOf(db).updateMany(notOpened, { $set: { generation: null, next } }, { maxTimeMS });
};

/**
 * Opens the fence for writers of the generation that it was closed for. Repeatable. Raises an error if it has been closed
 * for another one since, or if there is no complete fence.
 */
export const openFence = async (db: Db, generation: string): Promise<void> => {
  const { matchedCount } = await fencesOf(db).updateMany({ next: generation }, { $set: { generation } });
  if (matchedCount !== DOCUMENTS) throw new Error(`${db.databaseName} has no write fence for ${generation}.`);
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
