import type { AbstractCursor } from "mongodb";
import { Fault } from "#shared/foundation/faults";
import type { Tenant } from "#shared/tenant/tenant";
import { orderOf } from "./order.ts";
import { readFitting } from "./read-fitting.ts";
import { type ApiRecord, shaper } from "./shape.ts";
import { collectionOf, permitted, type StoredRecord } from "./stored-record.ts";
import { type Target, targetOf } from "./target.ts";

/** See `Records.get`. */
export const getRecord = async (tenant: Tenant, object: string, id: string): Promise<ApiRecord> => {
  const target = await targetOf(tenant, object, "read");
  const found = await collectionOf(target).findOne(permitted(target, "read", { _id: id }));
  if (found === null) throw new Fault("record_not_found");
  return shaper(target)(found);
};

export interface RecordPageRequest {
  readonly limit: number;
  readonly offset: number;
  readonly order_by?: string | undefined;
}

export interface RecordPage {
  readonly records: ApiRecord[];
  /** Of all pages together. */
  readonly total: number;
  /** The page was cut at 5 MB; the next one begins right after its last record. */
  readonly truncated: boolean;
}

/** Counting without a filter reads the collection's metadata instead of the collection. */
const countAll = (target: Target): Promise<number> => {
  const filter = permitted(target, "read", {});
  const collection = collectionOf(target);
  return Object.keys(filter).length === 0 ? collection.estimatedDocumentCount() : collection.countDocuments(filter);
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
  const cursor = cursorOf(target, request);
  const [page, total] = await Promise.all([readFitting(cursor, shaper(target)), countAll(target)]);
  return { ...page, total };
};
