import type { Tenant } from "#shared/tenant/tenant";
import type { HistoryPage } from "#shared/trail/trail";
import type { ApiRecord, Written } from "./api-record.ts";
import { createRecords } from "./create.ts";
import { type History, recordHistory } from "./history.ts";
import { getRecord, listRecords, type RecordPage, type RecordPageRequest } from "./read.ts";
import { removeRecords } from "./remove.ts";
import { updateRecord, updateRecords } from "./update.ts";

export type { ApiRecord, Written } from "./api-record.ts";
export { oneOrMany, pageHeaders, truncationHeader } from "./http-replies.ts";
export type { RecordPage, RecordPageRequest } from "./read.ts";
export { validationRules } from "./validation-rules.ts";

/**
 * Reads and writes records within the caller's access. `object` is an api_name (case-insensitive). All methods raise
 * `reserved_object`, `object_not_found` and `forbidden`. Methods that write check the whole batch first, raise one
 * `validation_failed` with all issues (`loc` begins with `body`), and write everything or nothing in one transaction.
 */
export interface Records {
  /** One record or an array of up to 500. Raises `duplicate_value`. */
  create(object: string, data: unknown): Promise<Written>;
  /** Raises `record_not_found`, also for a record that the caller may not see. */
  get(object: string, id: string): Promise<ApiRecord>;
  /** Who changed the record when, newest first. Raises `record_not_found`, also for a record that the caller may not see. */
  history(object: string, id: string, page: HistoryPage): Promise<History>;
  list(object: string, page: RecordPageRequest): Promise<RecordPage>;
  /** One record with its `id`, or an array. Raises `record_not_found`, `duplicate_value`, `last_owner`. */
  update(object: string, data: unknown): Promise<Written>;
  /** The record of that id; `data` has no `id`. Raises as `update` does. */
  updateOne(object: string, id: string, data: unknown): Promise<ApiRecord>;
  /** Up to 500 ids. Gives them without duplicates. Raises `record_not_found`, `last_owner`. */
  remove(object: string, ids: readonly string[]): Promise<string[]>;
  /** As `remove`, of the record that the path names. */
  removeOne(object: string, id: string): Promise<string[]>;
}

export const records = (tenant: Tenant): Records => ({
  create: (object, data) => createRecords(tenant, object, data),
  get: (object, id) => getRecord(tenant, object, id),
  history: (object, id, page) => recordHistory(tenant, object, id, page),
  list: (object, page) => listRecords(tenant, object, page),
  update: (object, data) => updateRecords(tenant, object, data),
  updateOne: (object, id, data) => updateRecord(tenant, object, id, data),
  remove: (object, ids) => removeRecords(tenant, object, ids, (index) => ["query", "ids", index]),
  removeOne: (object, id) => removeRecords(tenant, object, [id], () => ["path", "id"]),
});
