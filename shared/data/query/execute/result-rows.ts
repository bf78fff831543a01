import type { Document } from "mongodb";
import { replyMeter } from "#shared/foundation/reply-size";
import type { Batches } from "#shared/tenant/tenant";
import type { Header } from "../analyze/plan.ts";
import type { ExecutableQuery } from "../compile/compile.ts";

export type Row = Record<string, unknown>;

export interface ResultRows {
  readonly rows: Row[];
  /** There is more than came back: the page is full, or the reply would have become too large. */
  readonly truncated: boolean;
  /** What the last row was made of; null without rows. */
  readonly last: Document | null;
}

/** A flat row with every header's key; what is not stored is null. */
export const shapeRow = ({ headers, slots }: ExecutableQuery, document: Document): Row => {
  const row: Row = {};
  for (let index = 0; index < slots.length; index += 1) {
    row[(headers[index] as Header).api_name] = document[slots[index] as string] ?? null;
  }
  return row;
};

/** All rows, or as many whole ones as the reply's bounds allow; null if not even the first one does. */
export const shapeRows = async (
  query: ExecutableQuery,
  batches: Batches,
  fits = replyMeter(query.headers),
): Promise<ResultRows | null> => {
  const rows: Row[] = [];
  let last: Document | null = null;
  for (let batch = await batches.next(); batch !== null; batch = await batches.next()) {
    for (const document of batch) {
      const row = shapeRow(query, document);
      const isFull = rows.length === query.rowLimit;
      if (isFull || !fits(row)) {
        await batches.close();
        return isFull || rows.length > 0 ? { rows, truncated: true, last } : null;
      }
      rows.push(row);
      last = document;
    }
  }
  return { rows, truncated: false, last };
};
