import type { Document } from "mongodb";
import { storedMaps } from "#shared/data/records/records";
import type { QueuedMessage } from "#shared/data/records/writer/writer";
import { Fault } from "#shared/foundation/faults";
import { actingTenant } from "#shared/tenant/tenant";
import { eventOf, installedFor } from "./installed.ts";
import { queuedBy } from "./queued.ts";

/** What a vendor brings, such as a received mail. */
const OBJECT = "email_message";

const ended: ReadonlySet<string> = new Set(["forbidden", "organization_suspended"]);

/**
 * The messages of a record that the platform itself creates for what a vendor brings: its async triggers and the
 * automations that it starts, in the name of an administrator. There is none if they may not act any more.
 */
export const queuedForReceived = async (
  organizationId: string,
  record: Document & { readonly _id: string },
  { userId, request_id }: { readonly userId: string; readonly request_id: string },
): Promise<readonly QueuedMessage[]> => {
  try {
    const acting = { user_id: userId, client_id: null, scope: "all", responsible: null };
    const tenant = await actingTenant(organizationId, acting, request_id);
    const installed = await installedFor(tenant, OBJECT);
    if (installed === null) return [];
    const queued = queuedBy(installed, eventOf("after", "create"), undefined);
    return queued === null ? [] : queued(await storedMaps(tenant, OBJECT, record));
  } catch (error) {
    if (error instanceof Fault && ended.has(error.code)) return [];
    throw error;
  }
};
