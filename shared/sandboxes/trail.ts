import type { ClientSession, Document } from "mongodb";
import type { SandboxRun, Tenant } from "#shared/tenant/tenant";
import { originOf, type TrailAction, type TrailEvent, writeEntryAhead, writeTrail } from "#shared/trail/trail";

export const actorOf = ({ caller }: Tenant): SandboxRun["by"] => ({
  id: caller.id,
  name: caller.name,
  email: caller.email,
});

const eventOf = (action: TrailAction, sandboxName: string, details: Document): TrailEvent => ({
  action,
  called: sandboxName,
  details: { sandbox_name: sandboxName, ...details },
});

/** The audit entry of what is done to a sandbox, in the trail of its production organization. */
export const noteInTrail = (
  tenant: Tenant,
  action: TrailAction,
  sandboxName: string,
  details: Document = {},
): Promise<void> => writeEntryAhead(tenant, originOf(tenant), eventOf(action, sandboxName, details));

/** As `noteInTrail`, in the transaction of a change of the production organization. */
export const noteInTransaction = (
  tenant: Tenant,
  action: TrailAction,
  sandboxName: string,
  { details, session }: { readonly details: Document; readonly session: ClientSession },
): Promise<void> => writeTrail(tenant, originOf(tenant), [eventOf(action, sandboxName, details)], session);
