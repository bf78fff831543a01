import type { Tenant } from "#shared/tenant/tenant";
import { createRecords } from "./create.ts";
import { getRecord, listRecords, type RecordPage, type RecordPageRequest } from "./read.ts";
import { removeRecords } from "./remove.ts";
import type { ApiRecord, Written } from "./shape.ts";
import { updateRecord, updateRecords } from "./update.ts";

export { cutHeader, inShapeOf, pageHeaders } from "./answers.ts";
export type { RecordPage, RecordPageRequest } from "./read.ts";
export type { ApiRecord, Written } from "./shape.ts";

/**
 * Records within the caller's access, whoever acts for them: the HTTP routes, functions, automations.
 * `object` is an api_name in any letter case. Each method raises `reserved_object`, `object_not_found` and `forbidden`;
 * each that writes checks the whole batch first, raises one `validation_failed` with every failure (`loc` begins with
 * `body`), and then writes all of it or nothing in one transaction.
 */
export interface Records {
  /** One record or an array of up to 500. Raises `duplicate_value`. */
  create(object: string, data: unknown): Promise<Written>;
  /** Raises `record_not_found`, also for a record that the caller may not see. */
  get(object: string, id: string): Promise<ApiRecord>;
  list(object: string, page: RecordPageRequest): Promise<RecordPage>;
  /** One record with its `id`, or an array of them. Raises `record_not_found`, `duplicate_value`, `last_owner`. */
  update(object: string, data: unknown): Promise<Written>;
  /** The record of that id; `data` has no `id`. Raises as `update` does. */
  updateOne(object: string, id: string, data: unknown): Promise<ApiRecord>;
  /** Up to 500 ids; gives each once. Raises `record_not_found`, `last_owner`. */
  remove(object: string, ids: readonly string[]): Promise<string[]>;
}

export const records = (tenant: Tenant): Records => ({
  create: (object, data) => createRecords(tenant, object, data),
  get: (object, id) => getRecord(tenant, object, id),
  list: (object, page) => listRecords(tenant, object, page),
  update: (object, data) => updateRecords(tenant, object, data),
  updateOne: (object, id, data) => updateRecord(tenant, object, id, data),
  remove: (object, ids) => removeRecords(tenant, object, ids),
});
