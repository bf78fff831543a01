import { Fault } from "#shared/foundation/faults";
import { holdsScope, requirePayment, type Tenant } from "#shared/tenant/tenant";

/**
 * As for requests: an app does only what its scopes allow, and writing needs a payment. Raises `insufficient_scope` and
 * `payment_required`.
 */
export const requireScope = (tenant: Tenant, scope: "read" | "write"): void => {
  if (scope === "write") requirePayment(tenant);
  if (!holdsScope(tenant.caller, scope)) throw new Fault("insufficient_scope");
};
