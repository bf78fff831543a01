import type { TenantDatabase } from "#shared/tenant/tenant";
import { TRAIL_OBJECT, type TrailEntry } from "./entry.ts";

export interface HistoryPage {
  readonly limit: number;
  readonly offset: number;
}

/** The audit entries of one record, newest first. */
export const readHistory = (
  { collection }: Pick<TenantDatabase, "collection">,
  object: string,
  recordId: string,
  { limit, offset }: HistoryPage,
  maxTimeMS: number,
) =>
  // Ids ascend with time, so that the index by record gives the order.
  collection<TrailEntry>(TRAIL_OBJECT)
    .find({ record_id: recordId, object }, { maxTimeMS })
    .sort({ _id: -1 })
    .skip(offset)
    .limit(limit);
