import { replyMeter } from "./reply-size.ts";

/** Documents as they come from the database. */
interface DocumentBatches<D> {
  /** Null at the end. */
  next(): Promise<readonly D[] | null>;
  /** Called if the documents are not read to their end. */
  close(): Promise<void>;
}

/** What this needs of a cursor of the MongoDB driver. */
interface Cursor<D> {
  hasNext(): Promise<boolean>;
  readBufferedDocuments(): D[];
  close(): Promise<void>;
}

export const cursorBatches = <D>(cursor: Cursor<D>): DocumentBatches<D> => ({
  next: async () => ((await cursor.hasNext()) ? cursor.readBufferedDocuments() : null),
  close: () => cursor.close(),
});

export interface CutRows<D, R> {
  readonly rows: R[];
  /** There is more than came back: the row limit is reached, or the reply would have become too large. */
  readonly truncated: boolean;
  /** The document of the last row; null without rows. */
  readonly last: D | null;
}

interface CutOptions {
  readonly rowLimit?: number;
  readonly fits?: (row: object) => boolean;
}

/**
 * All rows, or as many whole ones as the row limit and one reply allow; null if not even the first one fits into a
 * reply. Stops reading when the reply is full: rows may be large and many.
 */
export const cutRows = async <D, R extends object>(
  batches: DocumentBatches<D>,
  shape: (document: D) => R,
  { rowLimit = Number.POSITIVE_INFINITY, fits = replyMeter() }: CutOptions = {},
): Promise<CutRows<D, R> | null> => {
  const rows: R[] = [];
  let last: D | null = null;
  let isRead = false;
  try {
    for (let batch = await batches.next(); batch !== null; batch = await batches.next()) {
      for (const document of batch) {
        const row = shape(document);
        const isFull = rows.length === rowLimit;
        if (isFull || !fits(row)) return isFull || rows.length > 0 ? { rows, truncated: true, last } : null;
        rows.push(row);
        last = document;
      }
    }
    isRead = true;
    return { rows, truncated: false, last };
  } finally {
    if (!isRead) await batches.close();
  }
};
