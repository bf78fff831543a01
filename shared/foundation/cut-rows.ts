import { replyMeter } from "./reply-size.ts";

/** Documents in the batches in which the database sends them. */
interface DocumentBatches<D> {
  /** Null at the end. */
  next(): Promise<readonly D[] | null>;
  /** Called if the documents are not read to the end. */
  close(): Promise<void>;
}

/** The part of a cursor of the MongoDB driver that is used here. */
interface Cursor<D> {
  hasNext(): Promise<boolean>;
  readBufferedDocuments(): D[];
  close(): Promise<void>;
}

/** Documents that are in memory already. */
export const arrayBatches = <D>(documents: readonly D[]): DocumentBatches<D> => {
  const batches = [documents].values();
  return { next: async () => batches.next().value ?? null, close: async () => undefined };
};

export const cursorBatches = <D>(cursor: Cursor<D>): DocumentBatches<D> => ({
  next: async () => ((await cursor.hasNext()) ? cursor.readBufferedDocuments() : null),
  close: () => cursor.close(),
});

export interface CutRows<D, R> {
  readonly rows: R[];
  /** There are more rows: the row limit is reached, or the reply would be too large. */
  readonly truncated: boolean;
  /** The document of the last row; null without rows. */
  readonly last: D | null;
}

interface CutOptions {
  readonly rowLimit?: number;
  readonly fits?: (row: object) => boolean;
}

/**
 * The rows up to the row limit and the size limit of a reply; null if the first row alone is too large for a reply.
 * Stops reading when the reply is full.
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
