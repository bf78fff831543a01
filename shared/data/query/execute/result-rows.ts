import type { Document } from "mongodb";
import { type CutRows, cutRows } from "#shared/foundation/cut-rows";
import { replyMeter } from "#shared/foundation/reply-size";
import type { Batches } from "#shared/tenant/tenant";
import type { Header } from "../analyze/plan.ts";
import type { ExecutableQuery } from "../compile/compile.ts";

export type Row = Record<string, unknown>;

export type ResultRows = CutRows<Document, Row>;

/** A row with the key of every header; null without a stored value. */
export const shapeRow = ({ headers, resultKeys }: ExecutableQuery, document: Document): Row => {
  const row: Row = {};
  for (let index = 0; index < resultKeys.length; index += 1) {
    row[(headers[index] as Header).api_name] = document[resultKeys[index] as string] ?? null;
  }
  return row;
};

/**
 * The rows up to the query's row limit and the limit of a reply; null if the first row alone is too large for a reply.
 */
export const shapeRows = (
  query: ExecutableQuery,
  batches: Batches,
  fits = replyMeter(query.headers),
): Promise<ResultRows | null> =>
  cutRows(batches, (document) => shapeRow(query, document), {
    rowLimit: query.rowLimit ?? Number.POSITIVE_INFINITY,
    fits,
  });
