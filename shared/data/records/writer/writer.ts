import type { Tenant } from "#shared/tenant/tenant";
import type { ApiRecord, Written } from "../api-record.ts";
import { createRecords } from "../create.ts";
import type { RecordHooks } from "../hooks.ts";
import type { PlatformValues } from "../insert-records.ts";
import { removeRecords } from "../remove.ts";
import { updateRecord, updateRecords } from "../update.ts";

export type { Written } from "../api-record.ts";
export { keepUntilCommit } from "../hooked/keep.ts";
export type {
  ObjectHooks,
  QueuedMessage,
  RecordHooks,
  RecordMap,
  WriteMaps,
  WriteOperation,
  WriteScope,
} from "../hooks.ts";
export { oneOrMany, truncationHeader } from "../http-replies.ts";
export type { PlatformValues } from "../insert-records.ts";
export { sealStoredValues, unsealedValues } from "../sealed-values.ts";

/**
 * Writes records within the caller's access. `object` is an api_name (case-insensitive). All methods raise
 * `reserved_object`, `object_not_found` and `forbidden`. They check the whole batch first, raise one
 * `validation_failed` with all issues (`loc` begins with `body`), and write everything or nothing in one transaction.
 */
export interface RecordWriter {
  /** One record or an array of up to 500; one, if the platform adds values. Raises `duplicate_value`. */
  create(object: string, data: unknown, platform?: PlatformValues): Promise<Written>;
  /** One record with its `id`, or an array. Raises `record_not_found`, `duplicate_value`, `last_owner`, `in_use`. */
  update(object: string, data: unknown): Promise<Written>;
  /** The record of that id; `data` has no `id`. Raises as `update` does. */
  updateOne(object: string, id: string, data: unknown): Promise<ApiRecord>;
  /** Up to 500 ids. Gives them without duplicates. Raises `record_not_found`, `last_owner`, `in_use`. */
  remove(object: string, ids: readonly string[]): Promise<string[]>;
  /** As `remove`, of the record that the path names. */
  removeOne(object: string, id: string): Promise<string[]>;
}

/** `hooks`: the triggers and automations that the writes set off. */
export const recordWriter = (tenant: Tenant, hooks: RecordHooks): RecordWriter => ({
  create: (object, data, platform) => createRecords(tenant, hooks, object, data, platform),
  update: (object, data) => updateRecords(tenant, hooks, object, data),
  updateOne: (object, id, data) => updateRecord(tenant, hooks, object, { id, data }),
  remove: (object, ids) => removeRecords(tenant, hooks, object, { ids, locOf: (index) => ["query", "ids", index] }),
  removeOne: (object, id) => removeRecords(tenant, hooks, object, { ids: [id], locOf: () => ["path", "id"] }),
});
