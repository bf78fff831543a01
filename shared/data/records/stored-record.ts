import type { ClientSession, Collection, Document, Filter } from "mongodb";
import type { Operation } from "#shared/data/access/access";
import { Fault } from "#shared/foundation/faults";
import type { Target } from "./target.ts";

/** A record as stored. `_id` and `id` are equal. A field without a value is absent. */
export type StoredRecord = Document & { _id: string; id: string };

export const collectionOf = ({ tenant, object }: Target): Collection<StoredRecord> =>
  tenant.collection<StoredRecord>(object);

/** The match, with the filter of the caller's access. */
export const permitted = (
  { access, object }: Target,
  operation: Operation,
  match: Filter<StoredRecord>,
): Filter<StoredRecord> => {
  const filter = access.filter(object, operation);
  return filter === null ? match : { $and: [match, filter as Filter<StoredRecord>] };
};

export const ofIds = (ids: readonly string[]): Filter<StoredRecord> => ({
  _id: ids.length === 1 && ids[0] !== undefined ? ids[0] : { $in: [...ids] },
});

/**
 * Reads the records in the transaction, in the order of the ids. Raises `record_not_found`, which names missing ids.
 */
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
