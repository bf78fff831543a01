import type { Collection, Document, Filter } from "mongodb";
import type { Operation } from "#shared/data/access/access";
import type { Target } from "./target.ts";

/** A record in the database: `_id` and `id` are equal; a field without a value is absent. */
export type StoredRecord = Document & { _id: string; id: string };

export const collectionOf = ({ tenant, object }: Target): Collection<StoredRecord> =>
  tenant.collection<StoredRecord>(object);

/** The match, and whatever the caller's access adds to it. */
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
