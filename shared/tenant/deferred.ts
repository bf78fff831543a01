import type { Actor } from "#contracts/actor";
import { REFERENCE_CLIENT_ID } from "#contracts/reference-script";
import { Fault } from "#shared/foundation/faults";
import { type ActingUser, actingTenant } from "./acting.ts";
import { base } from "./base.ts";
import type { Caller, Tenant } from "./database.ts";

export const COMMAND_LINE_CLIENT_ID = "tenantry-cli";

/** The platform's own clients. They belong to no organization, and nobody can delete them. */
const platformClients: ReadonlySet<string> = new Set([COMMAND_LINE_CLIENT_ID, REFERENCE_CLIENT_ID]);

/** In whose name a caller lets something be done later. */
export const actorOf = ({ caller }: { readonly caller: Omit<Actor, "user_id"> & Pick<Caller, "id"> }): Actor => ({
  user_id: caller.id,
  client_id: caller.client_id,
  scope: caller.scope,
  responsible: caller.responsible,
});

/** The scopes of a client are fixed when it is registered, so that they are not compared here. */
const isRegistered = async (organizationId: string, clientId: string): Promise<boolean> => {
  if (platformClients.has(clientId)) return true;
  const { oauthClients } = await base();
  const which = { _id: clientId, organization_id: organizationId };
  return (await oauthClients.findOne(which, { projection: { _id: 1 } })) !== null;
};

/**
 * The tenant of work that was set up before: as `actingTenant`, and the app must still be registered in this
 * organization. That is a read of the base database, so it is made once for each piece of work, when the work begins.
 * The calls and nodes of a running execution use `actingTenant`. Raises what `actingTenant` raises.
 */
export const deferredTenant = async (
  organizationId: string,
  acting: ActingUser,
  request_id: string,
): Promise<Tenant> => {
  const tenant = await actingTenant(organizationId, acting, request_id);
  const { client_id } = acting;
  if (client_id !== null && !(await isRegistered(organizationId, client_id))) {
    throw new Fault("forbidden", { message: "The app in whose name this runs is not registered any more." });
  }
  return tenant;
};
