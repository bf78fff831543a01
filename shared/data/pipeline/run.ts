import { type Collection, type Document, MongoServerError } from "mongodb";
import { exceededTimeLimit, queryLimits } from "#shared/data/query/query";
import { replyMeter } from "#shared/foundation/reply-size";
import { presentable } from "./rows.ts";
import { pipelineFault } from "./walk.ts";

export interface Rows {
  readonly rows: Document[];
  /** There is more than came back. */
  readonly truncated: boolean;
}

export interface RunOptions {
  readonly maxTimeMS: number;
  /** As many rows at most. */
  readonly rowLimit: number;
  /** The documents' `_id` is not that of a record. */
  readonly keepsId: boolean;
}

/** All rows, or as many whole ones as fit into a reply. */
export const runStages = async (
  collection: Collection<Document>,
  stages: Document[],
  { maxTimeMS, rowLimit, keepsId }: RunOptions,
): Promise<Rows> => {
  const cursor = collection.aggregate(stages, {
    maxTimeMS,
    allowDiskUse: true,
    // One more than can come, so that the first reply of the database is mostly also the last.
    batchSize: Math.min(rowLimit, queryLimits.rows) + 2,
  });
  const fits = replyMeter();
  const rows: Document[] = [];
  try {
    while (await cursor.hasNext()) {
      for (const document of cursor.readBufferedDocuments()) {
        const row = presentable(document, keepsId);
        if (rows.length === rowLimit) return { rows, truncated: true };
        if (!fits(row)) {
          if (rows.length === 0) throw tooLarge();
          return { rows, truncated: true };
        }
        rows.push(row);
      }
    }
    return { rows, truncated: false };
  } finally {
    await cursor.close();
  }
};

const tooLarge = (): Error =>
  pipelineFault(["pipeline"], "result_too_large", "one document of the result is larger than a reply may be (5 MB).");

/** How many documents the stages give; null where the database cannot say. Raises what says that it takes longer. */
export const countRows = async (
  collection: Collection<Document>,
  stages: Document[],
  maxTimeMS: number,
): Promise<number | null> => {
  if (maxTimeMS <= 0) return null;
  try {
    if (stages.length === 0) return await collection.estimatedDocumentCount({ maxTimeMS });
    const options = { maxTimeMS, allowDiskUse: true };
    const [found] = await collection.aggregate<{ n: number }>([...stages, { $count: "n" }], options).toArray();
    return found?.n ?? 0;
  } catch (error) {
    if (error instanceof MongoServerError && !exceededTimeLimit(error)) return null;
    throw error;
  }
};
