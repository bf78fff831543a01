import { Fault } from "#shared/foundation/faults";
import type { Tenant } from "#shared/tenant/tenant";

/** As for requests: an app does only what its scopes allow. Raises `insufficient_scope`. */
export const requireScope = ({ caller }: Tenant, scope: "read" | "write"): void => {
  if (caller.client_id === null) return;
  const scopes = caller.scope.split(" ");
  if (!scopes.includes("all") && !scopes.includes(scope)) throw new Fault("insufficient_scope");
};
