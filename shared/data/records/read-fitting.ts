import type { AbstractCursor } from "mongodb";
import { cursorBatches, cutRows } from "#shared/foundation/cut-rows";
import type { ApiRecord } from "./shape.ts";
import type { StoredRecord } from "./stored-record.ts";

export interface Fitting {
  readonly records: ApiRecord[];
  /** There were more records than fit into one answer. */
  readonly truncated: boolean;
}

/** The records of a cursor, as many as one answer carries. */
export const readFitting = async (
  cursor: AbstractCursor<StoredRecord>,
  shape: (document: StoredRecord) => ApiRecord,
): Promise<Fitting> => {
  const cut = await cutRows(cursorBatches(cursor), shape);
  // No record grows so large any more; an answer without any record would lead nowhere.
  if (cut === null) throw new Error("A record is larger than a reply may be.");
  return { records: cut.rows, truncated: cut.truncated };
};
