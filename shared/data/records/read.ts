import type { AbstractCursor } from "mongodb";
import { cursorBatches, cutRows } from "#shared/foundation/cut-rows";
import { Fault } from "#shared/foundation/faults";
import type { Tenant } from "#shared/tenant/tenant";
import { type ApiRecord, apiRecordOf, type Written } from "./api-record.ts";
import { orderOf } from "./order.ts";
import { collectionOf, ofIds, permitted, type StoredRecord } from "./stored-record.ts";
import { type Target, targetOf } from "./target.ts";

/** See `Records.get`. */
export const getRecord = async (tenant: Tenant, object: string, id: string): Promise<ApiRecord> => {
  const target = await targetOf(tenant, object, "read");
  const found = await collectionOf(target).findOne(permitted(target, "read", { _id: id }));
  if (found === null) throw new Fault("record_not_found");
  return apiRecordOf(target)(found);
};

export interface RecordPageRequest {
  readonly limit: number;
  readonly offset: number;
  readonly order_by?: string | undefined;
}

export interface RecordPage {
  readonly records: ApiRecord[];
  /** The number of records on all pages. */
  readonly total: number;
  /** The page was cut at 5 MB. The next page begins after its last record. */
  readonly truncated: boolean;
}

/** Without a filter the count comes from the collection's metadata. */
const countAll = (target: Target): Promise<number> => {
  const filter = permitted(target, "read", {});
  const collection = collectionOf(target);
  return Object.keys(filter).length === 0 ? collection.estimatedDocumentCount() : collection.countDocuments(filter);
};

/** The records of a cursor, up to the limit of a reply. */
const readUpToReplyLimit = async (
  target: Target,
  cursor: AbstractCursor<StoredRecord>,
): Promise<Pick<RecordPage, "records" | "truncated">> => {
  const cut = await cutRows(cursorBatches(cursor), apiRecordOf(target));
  // Writes refuse records of this size.
  if (cut === null) throw new Error("A record is larger than a reply may be.");
  return { records: cut.rows, truncated: cut.truncated };
};

const cursorOf = (target: Target, { order_by, offset, limit }: RecordPageRequest): AbstractCursor<StoredRecord> => {
  const { sort, masked } = orderOf(target, order_by);
  const filter = permitted(target, "read", {});
  const collection = collectionOf(target);
  if (masked === null) return collection.find(filter).sort(sort).skip(offset).limit(limit);
  const page = [{ $sort: sort }, { $skip: offset }, { $limit: limit }];
  return collection.aggregate<StoredRecord>([{ $match: filter }, { $set: masked }, ...page]);
};

/** See `Records.list`. */
export const listRecords = async (tenant: Tenant, object: string, request: RecordPageRequest): Promise<RecordPage> => {
  const target = await targetOf(tenant, object, "read");
  const [page, total] = await Promise.all([readUpToReplyLimit(target, cursorOf(target, request)), countAll(target)]);
  return { ...page, total };
};

/**
 * The reply to a repeated request to create: the records as they are now, within the caller's access. Records that are
 * gone or out of the caller's access have their id alone.
 */
export const rereadCreated = async (target: Target, ids: readonly string[]): Promise<Written> => {
  // Ids ascend in the order of the batch, so that the records before a cut are the first ones.
  const cursor = collectionOf(target)
    .find(permitted(target, "read", ofIds(ids)))
    .sort({ _id: 1 });
  const { records, truncated } = await readUpToReplyLimit(target, cursor);
  const byId = new Map(records.map((record) => [record.id, record]));
  return { records: ids.map((id) => byId.get(id) ?? { id }), truncated };
};
