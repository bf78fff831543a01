import type { Document } from "mongodb";
import { type CutRows, cutRows } from "#shared/foundation/cut-rows";
import { replyMeter } from "#shared/foundation/reply-size";
import type { Batches } from "#shared/tenant/tenant";
import type { Header } from "../analyze/plan.ts";
import type { ExecutableQuery } from "../compile/compile.ts";

export type Row = Record<string, unknown>;

export type ResultRows = CutRows<Document, Row>;

/** A flat row with every header's key; what is not stored is null. */
export const shapeRow = ({ headers, slots }: ExecutableQuery, document: Document): Row => {
  const row: Row = {};
  for (let index = 0; index < slots.length; index += 1) {
    row[(headers[index] as Header).api_name] = document[slots[index] as string] ?? null;
  }
  return row;
};

/** All rows, or as many whole ones as the query and one reply allow; null if not even the first one does. */
export const shapeRows = (
  query: ExecutableQuery,
  batches: Batches,
  fits = replyMeter(query.headers),
): Promise<ResultRows | null> =>
  cutRows(batches, (document) => shapeRow(query, document), {
    rowLimit: query.rowLimit ?? Number.POSITIVE_INFINITY,
    fits,
  });
