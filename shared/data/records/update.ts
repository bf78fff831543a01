import { fail, type ValidationContext, within } from "#shared/data/schema/schema";
import type { Tenant } from "#shared/tenant/tenant";
import { type ApiRecord, apiRecordOf, type Written, writtenOf } from "./api-record.ts";
import { type Contexts, contextsOf, itemsOf, newBatch, required } from "./batch.ts";
import { changeRecords, checkPatches, followChange, type Patch } from "./change-records.ts";
import { type Batch, type Changes, checkFields, recordOf } from "./check-record.ts";
import { isScoped, queueMessages } from "./hooked/scope.ts";
import { type PatchesOf, updateHooked } from "./hooked/update.ts";
import type { RecordHooks } from "./hooks.ts";
import { ensureIndexes } from "./indexes.ts";
import { type Target, targetOf } from "./target.ts";
import { toDuplicateValue } from "./unique-values.ts";

const apply = async (
  target: Target,
  hooks: RecordHooks,
  items: readonly unknown[],
  patchesOf: PatchesOf,
): Promise<Written> => {
  const own = await hooks.of(target, "update");
  if (isScoped(hooks, own)) return updateHooked(target, { hooks: own, outer: hooks.outer }, items, patchesOf);
  const batch = await newBatch(target, "update", items);
  const ready = await checkPatches(target, batch, patchesOf(batch));
  await ensureIndexes(target);
  // Before the transaction, because it may need KMS.
  const apiRecord = await apiRecordOf(target);
  try {
    const done = await target.tenant.transaction(async (session) => {
      const written = await changeRecords(target, ready, session);
      await queueMessages(target, own, { operation: "update", written: written.changed, apiRecord }, session);
      return written;
    });
    await followChange(target, ready, done);
    return await writtenOf(
      done.changed.map(({ after }) => after),
      apiRecord,
    );
  } catch (error) {
    throw toDuplicateValue(target, error, ready.patches.length);
  }
};

/** `shared_with` is stored as an empty array, not removed. */
const withShares = ({ shared_with, ...changes }: Changes): Changes =>
  shared_with === undefined ? changes : { ...changes, shared_with: shared_with ?? [] };

const idOf = (data: Record<string, unknown>, context: ValidationContext): string | undefined => {
  const inner = within(context, "id");
  if (data.id === undefined) return fail(inner, "missing", "The id of the record to change is required.");
  if (typeof data.id === "string" && data.id !== "" && data.id.length <= 200) return data.id;
  return fail(inner, "string_type", "Expected the id of a record.", data.id);
};

const patchesOf = (target: Target, items: readonly unknown[], batch: Batch, contexts: Contexts): Patch[] => {
  const seen = new Set<string>();
  return items.flatMap((item, index): Patch[] => {
    const context = contexts(index);
    const data = recordOf(target, item, context);
    if (data === undefined) return [];
    const id = idOf(data, context);
    if (id !== undefined && seen.has(id)) fail(within(context, "id"), "duplicate", "This record is named twice.", id);
    if (id !== undefined) seen.add(id);
    const { id: _, ...fields } = data;
    const changes = withShares(checkFields(target, "update", fields, context, batch));
    return id === undefined ? [] : [{ id, changes, context }];
  });
};

/** See `RecordWriter.update`. */
export const updateRecords = async (
  tenant: Tenant,
  hooks: RecordHooks,
  object: string,
  data: unknown,
): Promise<Written> => {
  const target = await targetOf(tenant, object, "update");
  const items = itemsOf(data);
  return apply(target, hooks, items, (batch) =>
    patchesOf(target, items, batch, contextsOf(batch, Array.isArray(data))),
  );
};

/** See `RecordWriter.updateOne`. */
export const updateRecord = async (
  tenant: Tenant,
  hooks: RecordHooks,
  object: string,
  { id, data }: { readonly id: string; readonly data: unknown },
): Promise<ApiRecord> => {
  const target = await targetOf(tenant, object, "update");
  const { records } = await apply(target, hooks, [data], (batch) => {
    const context = contextsOf(batch, false)(0);
    const fields = recordOf(target, required(data), context) ?? {};
    const changes = withShares(checkFields(target, "update", fields, context, batch));
    return [{ id, changes, context }];
  });
  return records[0] ?? { id };
};
