import type { AbstractCursor } from "mongodb";
import { cursorBatches, cutRows } from "#shared/foundation/cut-rows";
import { Fault } from "#shared/foundation/faults";
import { exceededTimeLimit, slowReadLimits, type Tenant, withSlowReadSlot } from "#shared/tenant/tenant";
import { type ApiRecord, apiRecordOf, type Written } from "./api-record.ts";
import { orderOf } from "./order.ts";
import { collectionOf, ofIds, permitted, type StoredRecord } from "./stored-record.ts";
import { type Target, targetOf } from "./target.ts";

/** See `Records.get`. */
export const getRecord = async (tenant: Tenant, object: string, id: string): Promise<ApiRecord> => {
  const target = await targetOf(tenant, object, "read");
  const found = await collectionOf(target).findOne(permitted(target, { _id: id }));
  if (found === null) throw new Fault("record_not_found");
  return (await apiRecordOf(target))(found);
};

export interface RecordPageRequest {
  readonly limit: number;
  readonly offset: number;
  readonly order_by?: string | undefined;
  /** Whether to count the records on all pages. */
  readonly count: boolean;
}

export interface RecordPage {
  readonly records: ApiRecord[];
  /** The number of records on all pages; null if it was not asked for. */
  readonly total: Total | null;
  /** The page was cut at 5 MB. The next page begins after its last record. */
  readonly truncated: boolean;
}

interface ReadBounds {
  readonly maxTimeMS: number;
}

export interface Total {
  readonly records: number;
  /** There are more records, which were not counted. */
  readonly isLeast: boolean;
}

/** Under a filter, counting ends this many records after the page. */
const COUNTED_BEYOND_PAGE = 10_000;

/** Without a filter the count comes from the collection's metadata. */
const countAll = async (target: Target, { offset, limit }: RecordPageRequest, bounds: ReadBounds): Promise<Total> => {
  const filter = permitted(target, {});
  const collection = collectionOf(target);
  if (Object.keys(filter).length === 0) {
    return { records: await collection.estimatedDocumentCount(bounds), isLeast: false };
  }
  const most = offset + limit + COUNTED_BEYOND_PAGE;
  const records = await collection.countDocuments(filter, { ...bounds, limit: most + 1 });
  return records > most ? { records: most, isLeast: true } : { records, isLeast: false };
};

/** The records of a cursor, up to the limit of a reply. */
const readUpToReplyLimit = async (
  target: Target,
  cursor: AbstractCursor<StoredRecord>,
): Promise<Pick<RecordPage, "records" | "truncated">> => {
  const cut = await cutRows(cursorBatches(cursor), await apiRecordOf(target));
  // Writes refuse records of this size.
  if (cut === null) throw new Error("A record is larger than a reply may be.");
  return { records: cut.rows, truncated: cut.truncated };
};

const cursorOf = (
  target: Target,
  { order_by, offset, limit }: RecordPageRequest,
  bounds: ReadBounds,
): AbstractCursor<StoredRecord> => {
  const { sort, masked } = orderOf(target, order_by);
  const filter = permitted(target, {});
  const collection = collectionOf(target);
  if (masked === null) return collection.find(filter, bounds).sort(sort).skip(offset).limit(limit);
  const page = [{ $sort: sort }, { $skip: offset }, { $limit: limit }];
  return collection.aggregate<StoredRecord>([{ $match: filter }, { $set: masked }, ...page], bounds);
};

const tooSlow = ({ order_by }: RecordPageRequest): Fault => {
  const seconds = slowReadLimits.maxTimeMilliseconds / 1000;
  const msg = `The list took longer than ${seconds} seconds. Sort by an indexed field, or use a smaller offset.`;
  const loc = ["query", order_by === undefined ? "offset" : "order_by"];
  return new Fault("validation_failed", { issues: [{ loc, msg, type: "query_timeout" }] });
};

/** See `Records.list`. */
export const listRecords = async (tenant: Tenant, object: string, request: RecordPageRequest): Promise<RecordPage> => {
  const target = await targetOf(tenant, object, "read");
  try {
    return await withSlowReadSlot(tenant, async (maxTimeMS) => {
      const bounds = { maxTimeMS };
      const reading = readUpToReplyLimit(target, cursorOf(target, request, bounds));
      const [page, total] = await Promise.all([reading, request.count ? countAll(target, request, bounds) : null]);
      return { ...page, total };
    });
  } catch (error) {
    throw exceededTimeLimit(error) ? tooSlow(request) : error;
  }
};

/**
 * The reply to a repeated request to create: the records as they are now, within the caller's access. Records that are
 * gone or out of the caller's access have their id alone.
 */
export const rereadCreated = async (target: Target, ids: readonly string[]): Promise<Written> => {
  // Ids ascend in the order of the batch, so that the records before a cut are the first ones.
  const cursor = collectionOf(target)
    .find(permitted(target, ofIds(ids)))
    .sort({ _id: 1 });
  const { records, truncated } = await readUpToReplyLimit(target, cursor);
  const byId = new Map(records.map((record) => [record.id, record]));
  return { records: ids.map((id) => byId.get(id) ?? { id }), truncated };
};
