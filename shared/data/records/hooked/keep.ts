import type { Document } from "mongodb";
import { now } from "#shared/foundation/clock";
import type { NewEntry, Tenant } from "#shared/tenant/tenant";
import type { WriteScope } from "../hooks.ts";
import { writeBuffer } from "./buffer.ts";

/**
 * Lets whole records of the platform, and what is sent with them, wait for the transaction of the write that runs a sync
 * trigger. Raises `validation_failed` for too many.
 */
export const keepUntilCommit =
  (tenant: Tenant, scope: WriteScope) =>
  async (
    object: string,
    records: readonly (Document & { readonly id: string })[],
    entries: readonly NewEntry[],
  ): Promise<void> => {
    const kept = records.map((record) => ({ id: record.id, changes: record }));
    const nothing = { seen: [], references: [], messages: JSON.stringify(entries) };
    await writeBuffer(tenant, scope).add({ object, operation: "keep", records: kept, at: now(), ...nothing }, false);
  };
