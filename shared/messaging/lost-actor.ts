import type { Actor } from "#contracts/actor";
import { Fault } from "#shared/foundation/faults";
import { deferredTenant, requirePayment, type Tenant, type TenantDatabase } from "#shared/tenant/tenant";

/** What ends a scheduled message. Other faults may pass. */
const final: ReadonlySet<string> = new Set([
  "forbidden",
  "insufficient_scope",
  "organization_suspended",
  "payment_required",
  "record_not_found",
]);

/**
 * Why what somebody has scheduled is not sent although its time has come; undefined if it is sent. They must be active
 * at this moment, their app registered, and the organization must pay. `check`: what else they must be able to do.
 */
export const lostActor = async (
  { organization_id }: TenantDatabase,
  actor: Actor,
  request_id: string,
  check?: (tenant: Tenant) => Promise<void>,
): Promise<string | undefined> => {
  try {
    const tenant = await deferredTenant(organization_id, actor, request_id);
    requirePayment(tenant);
    await check?.(tenant);
    return undefined;
  } catch (error) {
    if (error instanceof Fault && final.has(error.code)) return error.message;
    throw error;
  }
};
