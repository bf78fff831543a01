import { type AggregateOptions, type Collection, type Document, MongoServerError } from "mongodb";
import type { CompiledQuery } from "./compile.ts";
import type { Counting } from "./count.ts";
import { queryLimits } from "./limits.ts";
import { type QueryLocation, queryFault } from "./query-issue.ts";
import { type Batches, type ResultRows, shapeRow, shapeRows } from "./result-rows.ts";

/** MongoDB's MaxTimeMSExpired and ExceededTimeLimit. */
const timeoutCodes: readonly unknown[] = [50, 262];

const maxBatch = queryLimits.rows + 1;

const bounds: AggregateOptions = { maxTimeMS: queryLimits.maxTimeMilliseconds, allowDiskUse: true };

/** Raises `query_timeout` as a `validation_failed` of the query at `loc`. */
const inTime = async <T>(loc: QueryLocation, work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof MongoServerError) || !timeoutCodes.includes(error.code)) throw error;
    const seconds = queryLimits.maxTimeMilliseconds / 1000;
    const sentence = `The query took longer than ${seconds} seconds. Narrow it by an indexed field, or ask for fewer rows.`;
    throw queryFault(loc, { offset: 0, length: 0, line: 1, column: 1 }, "query_timeout", sentence);
  }
};

/** Runs the pipeline and shapes its rows. Raises `query_timeout` as a `validation_failed` of the query at `loc`. */
export const runPipeline = async (
  collection: Collection<Document>,
  query: CompiledQuery,
  loc: QueryLocation,
): Promise<ResultRows> => {
  if (query.isEmpty) return { rows: [], truncated: false, last: null };
  const cursor = collection.aggregate(query.pipeline, {
    ...bounds,
    // One more than can come, so that the first reply is also the last.
    batchSize: Math.min(query.plan.limit ?? maxBatch, maxBatch) + 1,
  });
  const batches: Batches = {
    next: async () => ((await cursor.hasNext()) ? cursor.readBufferedDocuments() : null),
    close: () => cursor.close(),
  };
  return inTime(loc, async () => {
    const result = await shapeRows(query, batches, queryLimits.replyBytes);
    if (result.rows.length > 0 || query.emptyRow === null) return result;
    return { rows: [shapeRow(query, query.emptyRow)], truncated: false, last: null };
  });
};

/** How many rows there are. Raises like `runPipeline`. */
export const runCount = (collection: Collection<Document>, counting: Counting, loc: QueryLocation): Promise<number> =>
  inTime(loc, async () => {
    const [found] = await collection.aggregate<{ total: number }>(counting.pipeline, bounds).toArray();
    return Math.max(found?.total ?? 0, counting.atLeast);
  });
