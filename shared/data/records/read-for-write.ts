import type { ClientSession } from "mongodb";
import { Fault } from "#shared/foundation/faults";
import { collectionOf, ofIds, permitted, type StoredRecord } from "./stored-record.ts";
import type { Target } from "./target.ts";

/** Reads the records in the transaction, in the order of the ids. Raises `record_not_found` naming what is missing. */
export const readForWrite = async (
  target: Target,
  operation: "update" | "delete",
  ids: readonly string[],
  session: ClientSession,
): Promise<StoredRecord[]> => {
  const found = await collectionOf(target)
    .find(permitted(target, operation, ofIds(ids)), { session })
    .toArray();
  const byId = new Map(found.map((record) => [record._id, record]));
  const missing = ids.filter((id) => !byId.has(id));
  if (missing.length > 0) {
    const some = missing.slice(0, 20).join(", ");
    const message = `Not found: ${some}${missing.length > 20 ? ", …" : ""}. Nothing was written.`;
    throw new Fault("record_not_found", ids.length === 1 ? {} : { message });
  }
  return ids.flatMap((id) => byId.get(id) ?? []);
};
