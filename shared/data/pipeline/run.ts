import { type Collection, type Document, MongoServerError } from "mongodb";
import { queryLimits } from "#shared/data/query/query";
import { type CutRows, cursorBatches, cutRows } from "#shared/foundation/cut-rows";
import { exceededTimeLimit } from "#shared/tenant/tenant";
import { presentable } from "./rows.ts";
import { pipelineFault } from "./walk.ts";

export interface RunOptions {
  readonly maxTimeMS: number;
  /** The maximum number of rows. */
  readonly rowLimit: number;
  /** Whether `_id` is not the id of a record. */
  readonly keepsId: boolean;
}

const TOO_LARGE = "one document of the result is larger than a reply may be (5 MB).";

/** The rows, up to the limit of a reply. */
export const runStages = async (
  collection: Collection<Document>,
  stages: Document[],
  { maxTimeMS, rowLimit, keepsId }: RunOptions,
): Promise<CutRows<Document, Document>> => {
  const cursor = collection.aggregate(stages, {
    maxTimeMS,
    allowDiskUse: true,
    // One more than the rows, so that the first batch is usually also the last.
    batchSize: Math.min(rowLimit, queryLimits.rows) + 2,
  });
  const cut = await cutRows(cursorBatches(cursor), (document) => presentable(document, keepsId), { rowLimit });
  if (cut === null) throw pipelineFault(["pipeline"], "result_too_large", TOO_LARGE);
  return cut;
};

/**
 * The number of documents that the stages give; null if the database cannot say. Raises the database's error when the
 * time is over.
 */
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
