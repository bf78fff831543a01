import { exceededTimeLimit, type TenantDatabase, withSlowReadSlot } from "#shared/tenant/tenant";
import type { Counting, ExecutableQuery } from "../compile/compile.ts";
import { queryLimits } from "../limits.ts";
import type { Span } from "../parse/syntax.ts";
import { type QueryLocation, queryFault } from "../query-issue.ts";
import { type ResultRows, shapeRow, shapeRows } from "./result-rows.ts";

const maxBatch = queryLimits.rows + 1;

/** The position for issues about the query as a whole. */
const start: Span = { offset: 0, length: 0, line: 1, column: 1 };

const TOO_LARGE = "One row of the result is larger than a reply may be (5 MB). Select fewer columns.";

/** Reads of one tenant's collections. */
type Reader = Pick<TenantDatabase, "read" | "collection">;

/** Raises `query_timeout` as a `validation_failed` of the query at `loc`, and `too_many_queries`. */
const inTime = async <T>(
  reader: Reader,
  loc: QueryLocation,
  work: (bounds: { maxTimeMS: number }) => Promise<T>,
): Promise<T> => {
  try {
    return await withSlowReadSlot(reader, (maxTimeMS) => work({ maxTimeMS }));
  } catch (error) {
    if (!exceededTimeLimit(error)) throw error;
    const seconds = queryLimits.maxTimeMilliseconds / 1000;
    const sentence = `The query took longer than ${seconds} seconds. Narrow it by an indexed field, or ask for fewer rows.`;
    throw queryFault(loc, start, "query_timeout", sentence);
  }
};

/** Runs the pipeline and shapes its rows. Raises as `inTime` does, and `result_too_large` as a `validation_failed`. */
export const readRows = async (reader: Reader, query: ExecutableQuery, loc: QueryLocation): Promise<ResultRows> => {
  if (query.isEmpty) return { rows: [], truncated: false, last: null };
  // One more than the rows, so that the first batch is also the last.
  const batchSize = Math.min(query.form.limit ?? maxBatch, maxBatch) + 1;
  return inTime(reader, loc, async (bounds) => {
    const batches = reader.read(query.collection, query.pipeline, { ...bounds, batchSize });
    const result = await shapeRows(query, batches);
    if (result === null) throw queryFault(loc, start, "result_too_large", TOO_LARGE);
    if (result.rows.length > 0 || query.emptyRow === null) return result;
    return { rows: [shapeRow(query, query.emptyRow)], truncated: false, last: null };
  });
};

/** The number of rows. Raises as `readRows` does. */
export const countRows = (reader: Reader, counting: Counting, loc: QueryLocation): Promise<number> =>
  inTime(reader, loc, async (bounds) => {
    const batch = await reader.read<{ total: number }>(counting.collection, counting.pipeline, bounds).next();
    const found = batch?.[0];
    return Math.max(found?.total ?? 0, counting.atLeast);
  });
