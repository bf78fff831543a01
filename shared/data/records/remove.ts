import { MAX_BATCH } from "#contracts/record";
import { Fault, type Issue } from "#shared/foundation/faults";
import type { Tenant } from "#shared/tenant/tenant";
import { apiRecordOf } from "./api-record.ts";
import { deleteRecords } from "./delete-records.ts";
import { removeHooked } from "./hooked/remove.ts";
import { isScoped, queueMessages } from "./hooked/scope.ts";
import type { RecordHooks } from "./hooks.ts";
import { notifyOwnersOfChanges } from "./owner-notices.ts";
import { targetOf } from "./target.ts";

/** What is deleted, and the path of each id in the request. */
export interface Removal {
  readonly ids: readonly string[];
  readonly locOf: (index: number) => Issue["loc"];
}

/** See `RecordWriter.remove`. */
export const removeRecords = async (
  tenant: Tenant,
  hooks: RecordHooks,
  object: string,
  { ids, locOf }: Removal,
): Promise<string[]> => {
  const target = await targetOf(tenant, object, "delete");
  const wanted = [...new Set(ids)];
  if (wanted.length === 0 || wanted.length > MAX_BATCH) {
    const msg = `Expected the ids of 1 to ${MAX_BATCH} records: ?ids=a&ids=b.`;
    throw new Fault("validation_failed", { issues: [{ loc: ["query", "ids"], msg, type: "batch_size" }] });
  }
  const own = await hooks.of(target, "delete");
  const at = (id: string) => locOf(ids.indexOf(id));
  if (isScoped(hooks, own)) {
    await removeHooked(target, { hooks: own, outer: hooks.outer }, wanted, at);
    return wanted;
  }
  const apiRecord = own === null ? null : await apiRecordOf(target);
  const removed = await tenant.transaction(async (session) => {
    const written = await deleteRecords(target, wanted, at, session);
    if (apiRecord !== null) await queueMessages(target, own, { operation: "delete", written, apiRecord }, session);
    return written;
  });
  await notifyOwnersOfChanges(target, removed);
  return wanted;
};
