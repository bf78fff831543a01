import { type Collection, type Document, MongoServerError } from "mongodb";
import { queryLimits } from "#shared/data/query/query";
import { type CutRows, cursorBatches, cutRows } from "#shared/foundation/cut-rows";
import { exceededTimeLimit } from "#shared/tenant/tenant";
import { presentable } from "./rows.ts";
import { pipelineFault } from "./walk.ts";

export interface RunOptions {
  readonly maxTimeMS: number;
  /** As many rows at most. */
  readonly rowLimit: number;
  /** The documents' `_id` is not that of a record. */
  readonly keepsId: boolean;
}

const TOO_LARGE = "one document of the result is larger than a reply may be (5 MB).";

/** All rows, or as many whole ones as fit into a reply. */
export const runStages = async (
  collection: Collection<Document>,
  stages: Document[],
  { maxTimeMS, rowLimit, keepsId }: RunOptions,
): Promise<CutRows<Document, Document>> => {
  const cursor = collection.aggregate(stages, {
    maxTimeMS,
    allowDiskUse: true,
    // One more than can come, so that the first reply of the database is mostly also the last.
    batchSize: Math.min(rowLimit, queryLimits.rows) + 2,
  });
  const cut = await cutRows(cursorBatches(cursor), (document) => presentable(document, keepsId), { rowLimit });
  if (cut === null) throw pipelineFault(["pipeline"], "result_too_large", TOO_LARGE);
  return cut;
};

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
