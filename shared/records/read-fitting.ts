import type { AbstractCursor } from "mongodb";
import { type ApiRecord, fitting, MOST_BYTES } from "./shape.ts";
import type { StoredRecord } from "./stored-record.ts";

export interface Fitting {
  readonly records: ApiRecord[];
  /** There were more records than fit into one answer. */
  readonly truncated: boolean;
}

/** Stops reading as soon as the answer is full: records may be large, and there may be a thousand of them. */
export const readFitting = async (
  cursor: AbstractCursor<StoredRecord>,
  shape: (document: StoredRecord) => ApiRecord,
): Promise<Fitting> => {
  const records: ApiRecord[] = [];
  const budget = { bytes: MOST_BYTES };
  try {
    while (await cursor.hasNext()) {
      const batch = cursor.readBufferedDocuments().map(shape);
      const kept = fitting(batch, budget);
      records.push(...kept);
      if (kept.length < batch.length) return { records, truncated: true };
    }
    return { records, truncated: false };
  } finally {
    await cursor.close();
  }
};
