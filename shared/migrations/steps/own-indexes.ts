import { ensureOwnIndexes } from "#shared/tenant/tenant";
import { ensureTrailIndexes } from "#shared/trail/trail";
import type { TenantStep } from "./step.ts";

/** The indexes of sessions, idempotency keys and the audit trail, for organizations from before these existed. */
export const ownIndexes: TenantStep = {
  run: async (organization) => {
    await ensureOwnIndexes(organization);
    await ensureTrailIndexes(organization);
    return {};
  },
  preview: async () => ({ indexes: "of sessions, idempotency keys and the audit trail" }),
};
