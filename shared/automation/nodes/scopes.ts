import { Fault } from "#shared/foundation/faults";
import { requirePayment, type Tenant } from "#shared/tenant/tenant";

/**
 * As for requests: an app does only what its scopes allow, and writing needs a payment. Raises `insufficient_scope` and
 * `payment_required`.
 */
export const requireScope = (tenant: Tenant, scope: "read" | "write"): void => {
  if (scope === "write") requirePayment(tenant);
  const { caller } = tenant;
  if (caller.client_id === null) return;
  const scopes = caller.scope.split(" ");
  if (!scopes.includes("all") && !scopes.includes(scope)) throw new Fault("insufficient_scope");
};
