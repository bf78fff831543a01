import type { AbstractCursor } from "mongodb";
import { replyMeter } from "#shared/foundation/reply-size";
import type { ApiRecord } from "./shape.ts";
import type { StoredRecord } from "./stored-record.ts";

export interface Fitting {
  readonly records: ApiRecord[];
  /** There were more records than fit into one answer. */
  readonly truncated: boolean;
}

/** No record grows so large any more; an answer without any record would lead nowhere. */
const tooLarge = ({ id }: ApiRecord): Error => new Error(`The record ${id} is larger than a reply may be.`);

/** Stops reading as soon as the answer is full: records may be large, and there may be a thousand of them. */
export const readFitting = async (
  cursor: AbstractCursor<StoredRecord>,
  shape: (document: StoredRecord) => ApiRecord,
): Promise<Fitting> => {
  const records: ApiRecord[] = [];
  const fits = replyMeter();
  try {
    while (await cursor.hasNext()) {
      for (const document of cursor.readBufferedDocuments()) {
        const record = shape(document);
        if (!fits(record)) {
          if (records.length === 0) throw tooLarge(record);
          return { records, truncated: true };
        }
        records.push(record);
      }
    }
    return { records, truncated: false };
  } finally {
    await cursor.close();
  }
};
