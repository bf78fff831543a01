/** Record triggers: what writes of records set off. */
import type { RecordHooks } from "#shared/data/records/writer/writer";
import type { Tenant } from "#shared/tenant/tenant";
import type { Origin } from "../outcome.ts";

/**
 * The triggers and automations that the writes of a caller set off. `origin`: when they must have ended, and the
 * execution that writes, if one does.
 */
export const recordHooks = (_tenant: Tenant, { parent }: Omit<Origin, "place">): RecordHooks => ({
  outer: parent?.write ?? null,
  of: async () => null,
});
