import type { Document } from "mongodb";
import type { SandboxRun, Tenant } from "#shared/tenant/tenant";
import { originOf, type TrailAction, writeEntryAhead } from "#shared/trail/trail";

export const actorOf = ({ caller }: Tenant): SandboxRun["by"] => ({
  id: caller.id,
  name: caller.name,
  email: caller.email,
});

/** The audit entry of what is done to a sandbox, in the trail of its production organization. */
export const noteInTrail = (
  tenant: Tenant,
  action: TrailAction,
  sandboxName: string,
  details: Document = {},
): Promise<void> =>
  writeEntryAhead(tenant, originOf(tenant), {
    action,
    called: sandboxName,
    details: { sandbox_name: sandboxName, ...details },
  });
