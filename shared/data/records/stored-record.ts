import type { ClientSession, Collection, Document, Filter } from "mongodb";
import { includesRight, type RecordRight } from "#shared/data/access/access";
import { Fault } from "#shared/foundation/faults";
import type { Target } from "./target.ts";

/** A record as stored. `_id` and `id` are equal. A field without a value is absent. */
export type StoredRecord = Document & { _id: string; id: string };

/** In characters. A reference stores the name of its record, cut to this length. */
const LONGEST_NAME = 255;

/** The name of a record as references store it. */
export const referenceNameOf = ({ name }: Document): string | null =>
  typeof name === "string" ? name.slice(0, LONGEST_NAME) : null;

export const collectionOf = ({ tenant, object }: Target): Collection<StoredRecord> =>
  tenant.collection<StoredRecord>(object);

/** The match, within the records that the caller sees. */
export const permitted = ({ access, schema }: Target, match: Filter<StoredRecord>): Filter<StoredRecord> => {
  const filter = access.rows.filter(schema);
  return filter === null ? match : { $and: [match, filter as Filter<StoredRecord>] };
};

export const ofIds = (ids: readonly string[]): Filter<StoredRecord> => ({
  _id: ids.length === 1 && ids[0] !== undefined ? ids[0] : { $in: [...ids] },
});

/** Some of the ids, for a message. */
const listed = (ids: readonly string[]): string => `${ids.slice(0, 20).join(", ")}${ids.length > 20 ? ", …" : ""}`;

const refusals: Readonly<Record<RecordRight, string>> = {
  read: "You may not read",
  edit: "You may read, but not change",
  delete: "You may not delete",
  own: "You may not change the owner or the shares of",
};

/** Raises `forbidden` for records that the caller sees because they are shared, but with a smaller right. */
const requireRights = (
  { access, schema }: Target,
  records: readonly StoredRecord[],
  neededFor: (record: StoredRecord) => RecordRight,
): void => {
  const lacking = Map.groupBy(
    records.filter((record) => {
      const right = access.rows.right(schema, record);
      return right === null || !includesRight(right, neededFor(record));
    }),
    neededFor,
  );
  for (const [needed, refused] of lacking) {
    const message = `${refusals[needed]}: ${listed(refused.map(({ _id }) => _id))}. Nothing was written.`;
    throw new Fault("forbidden", { message });
  }
};

/** The records with these ids that the caller sees. */
export const readPermitted = (
  target: Target,
  ids: readonly string[],
  session?: ClientSession,
): Promise<StoredRecord[]> =>
  collectionOf(target)
    .find(permitted(target, ofIds(ids)), session === undefined ? {} : { session })
    .toArray();

/**
 * The records that were found in the order of the ids. `neededFor`: the right that the write of a record takes. Raises
 * `record_not_found`, which names missing ids, also for records that the caller may not see, and `forbidden` for those
 * that the caller may see only.
 */
export const requireRecords = (
  target: Target,
  ids: readonly string[],
  found: readonly StoredRecord[],
  neededFor: (record: StoredRecord) => RecordRight,
): StoredRecord[] => {
  const byId = new Map(found.map((record) => [record._id, record]));
  const missing = ids.filter((id) => !byId.has(id));
  if (missing.length > 0) {
    const message = `Not found: ${listed(missing)}. Nothing was written.`;
    throw new Fault("record_not_found", ids.length === 1 ? {} : { message });
  }
  requireRights(target, found, neededFor);
  return ids.flatMap((id) => byId.get(id) ?? []);
};

/** Reads the records in the transaction. See `requireRecords`. */
export const readForWrite = async (
  target: Target,
  ids: readonly string[],
  neededFor: (record: StoredRecord) => RecordRight,
  session: ClientSession,
): Promise<StoredRecord[]> => requireRecords(target, ids, await readPermitted(target, ids, session), neededFor);
