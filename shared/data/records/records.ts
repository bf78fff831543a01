import type { Tenant } from "#shared/tenant/tenant";
import type { HistoryPage } from "#shared/trail/trail";
import type { ApiRecord } from "./api-record.ts";
import { type History, recordHistory } from "./history.ts";
import { getRecord, listRecords, type RecordPage, type RecordPageRequest } from "./read.ts";

export type { ApiRecord } from "./api-record.ts";
export { configValue } from "./definitions/config-value.ts";
export { readDefinition } from "./definitions/read-definition.ts";
export { storedMaps } from "./hooked/stored-maps.ts";
export type { WriteScope } from "./hooks.ts";
export { pageHeaders, truncationHeader } from "./http-replies.ts";
export { isNotReadable } from "./not-readable.ts";
export type { RecordPage, RecordPageRequest } from "./read.ts";
export { recordView } from "./record-view.ts";
export { openValue } from "./sealed-values.ts";

/**
 * Reads records within the caller's access. `object` is an api_name (case-insensitive). All methods raise
 * `reserved_object`, `object_not_found` and `forbidden`. Records are written by `recordWriter`, which is an entry of
 * its own, so that functions that only read do not carry what checks values and rules.
 */
export interface Records {
  /** Raises `record_not_found`, also for a record that the caller may not see. */
  get(object: string, id: string): Promise<ApiRecord>;
  /**
   * Who changed the record when, newest first. Raises `record_not_found`, also for a record that the caller may not
   * see.
   */
  history(object: string, id: string, page: HistoryPage): Promise<History>;
  list(object: string, page: RecordPageRequest): Promise<RecordPage>;
}

export const records = (tenant: Tenant): Records => ({
  get: (object, id) => getRecord(tenant, object, id),
  history: (object, id, page) => recordHistory(tenant, object, id, page),
  list: (object, page) => listRecords(tenant, object, page),
});
