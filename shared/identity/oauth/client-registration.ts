import { v7 as uuidv7 } from "uuid";
import type * as z from "zod";
import type { newOauthClient, oauthClient } from "#contracts/oauth-bodies";
import { now } from "#shared/foundation/clock";
import { Fault, type Issue, refuseIfAny } from "#shared/foundation/faults";
import { opaqueToken } from "#shared/foundation/tokens/tokens";
import { base, type Caller, type OAuthClient, type Tenant, type TenantDatabase } from "#shared/tenant/tenant";
import { originOf, type RecordedChanges, writeEntryAhead } from "#shared/trail/trail";
import { audit } from "../audit.ts";
import { hashOf } from "../credentials/hashes.ts";
import type { Device } from "../sessions/device.ts";
import { revokeSessions } from "../sessions/session-replicas.ts";
import { removeSessions } from "../sessions/sessions.ts";
import { problemOf, responsibilityRefusal, responsibleFor, rightsOf } from "./responsible-administrator.ts";

type NewClient = z.output<typeof newOauthClient>;

type ClientReply = z.input<typeof oauthClient>;

/** Clients as administrators see them: with the responsible administrator and whether they can act alone now. */
const clientReplies = async (
  database: Pick<TenantDatabase, "collection">,
  clients: readonly OAuthClient[],
): Promise<ClientReply[]> => {
  const rights = await rightsOf(
    database,
    clients.flatMap((client) => [client.run_as, responsibleFor(client)]),
  );
  return clients.map((client) => {
    const { _id: client_id, name, type, redirect_uris, scopes, run_as, created_date } = client;
    const problem = problemOf(client, rights);
    return {
      client_id,
      name,
      type,
      redirect_uris,
      scopes,
      run_as,
      responsible: responsibleFor(client),
      usable: problem === null,
      problem,
      created_date: created_date.toISOString(),
    };
  });
};

const clientReply = async (database: Pick<TenantDatabase, "collection">, client: OAuthClient): Promise<ClientReply> => {
  const [answer] = await clientReplies(database, [client]);
  if (answer === undefined) throw new Error("A client has no reply.");
  return answer;
};

const issueAt = (field: string, msg: string): Issue => ({ loc: ["body", field], msg, type: "not_allowed" });

/** A client may run as an active user who has no more rights than the administrator who registers it. */
const runAsIssues = async (tenant: Tenant, { type, run_as }: NewClient): Promise<Issue[]> => {
  if (run_as === undefined) return [];
  if (type === "public") return [issueAt("run_as", "Only a confidential client can act alone.")];
  const refusal = responsibilityRefusal(tenant.caller, run_as, await rightsOf(tenant, [run_as, tenant.caller.id]));
  return refusal === null ? [] : [issueAt("run_as", refusal.message)];
};

/** Registers an app of the organization. Only this answer contains the secret of a confidential client. */
export const createClient = async (tenant: Tenant, wanted: NewClient, device: Device) => {
  const needsRedirect = wanted.type === "public" && wanted.redirect_uris.length === 0;
  refuseIfAny([
    ...(needsRedirect ? [issueAt("redirect_uris", "A public client needs a redirect URI.")] : []),
    ...(await runAsIssues(tenant, wanted)),
  ]);
  const secret = wanted.type === "confidential" ? opaqueToken("tcs") : undefined;
  const client: OAuthClient = {
    _id: uuidv7(),
    organization_id: tenant.organization_id,
    name: wanted.name,
    type: wanted.type,
    secret_hash: secret === undefined ? null : hashOf(secret),
    redirect_uris: wanted.redirect_uris,
    scopes: wanted.scopes,
    run_as: wanted.run_as ?? null,
    created_by: tenant.caller.id,
    created_date: now(),
  };
  await auditClient(tenant, "client_registered", client, {
    responsible: { from: null, to: client.created_by },
    run_as: { from: null, to: client.run_as },
    scopes: { from: null, to: client.scopes },
  });
  const { oauthClients, transaction } = await base();
  await transaction(async (session) => {
    await oauthClients.insertOne(client, { session });
    await audit({ type: "client_created", ...told(tenant.caller, client._id, device) }, session);
  });
  return { ...(await clientReply(tenant, client)), ...(secret === undefined ? {} : { client_secret: secret }) };
};

/** Clients are in the base database, so the organization's audit entry is written before the change. */
const auditClient = (
  tenant: Tenant,
  action: "client_registered" | "client_adopted" | "client_deleted",
  { _id, name }: OAuthClient,
  changes: RecordedChanges,
): Promise<void> =>
  writeEntryAhead(tenant, originOf(tenant), { action, object: "oauth_client", record_id: _id, called: name, changes });

const told = ({ id, session_id, organization_id }: Caller, client_id: string, device: Device) => ({
  user_id: id,
  organizations: [organization_id],
  session_id,
  client_id,
  device,
});

export const listClients = async (tenant: Tenant) => {
  const { oauthClients } = await base();
  const { organization_id } = tenant;
  return clientReplies(tenant, await oauthClients.find({ organization_id }, { sort: { _id: 1 } }).toArray());
};

/**
 * Makes the caller the responsible administrator of a client, under the rules of registering one. Tokens that were
 * issued before stay bound to the administrator of that time, who may also know the secret. So a new secret can be
 * asked for. Raises `client_not_found`, `forbidden` and `validation_failed`.
 */
export const adoptClient = async (
  tenant: Tenant,
  { id, new_secret }: { readonly id: string; readonly new_secret: boolean },
  device: Device,
) => {
  const { organization_id, caller } = tenant;
  const { oauthClients, transaction } = await base();
  const client = await oauthClients.findOne({ _id: id, organization_id });
  if (client === null) throw new Fault("client_not_found");
  if (new_secret && client.type === "public") {
    throw new Fault("validation_failed", { issues: [issueAt("new_secret", "A public client has no secret.")] });
  }
  const rights = await rightsOf(tenant, [client.run_as, caller.id]);
  const refusal = client.run_as === null ? null : responsibilityRefusal(caller, client.run_as, rights);
  if (refusal?.kind === "authority") throw new Fault("forbidden", { message: refusal.message });
  if (refusal !== null) {
    throw new Fault("validation_failed", {
      issues: [{ loc: ["path", "id"], msg: refusal.message, type: "not_allowed" }],
    });
  }
  const secret = new_secret ? opaqueToken("tcs") : undefined;
  const update = { adopted_by: caller.id, ...(secret === undefined ? {} : { secret_hash: hashOf(secret) }) };
  await auditClient(tenant, "client_adopted", client, {
    responsible: { from: responsibleFor(client), to: caller.id },
    ...(new_secret && { client_secret: { hidden: true } }),
  });
  const adopted = await transaction(async (session) => {
    const options = { session, returnDocument: "after" } as const;
    const found = await oauthClients.findOneAndUpdate({ _id: id, organization_id }, { $set: update }, options);
    if (found === null) throw new Fault("client_not_found");
    await audit({ type: "client_adopted", ...told(caller, id, device) }, session);
    return found;
  });
  return { ...(await clientReply(tenant, adopted)), ...(secret === undefined ? {} : { client_secret: secret }) };
};

/** Removes an app with all of its sessions and codes. Raises `client_not_found`. */
export const deleteClient = async (tenant: Tenant, id: string, device: Device): Promise<void> => {
  const { caller } = tenant;
  const collections = await base();
  const { oauthClients, authorizationCodes, transaction } = collections;
  const client = await oauthClients.findOne({ _id: id, organization_id: caller.organization_id });
  if (client === null) throw new Fault("client_not_found");
  await auditClient(tenant, "client_deleted", client, {
    responsible: { from: responsibleFor(client), to: null },
    run_as: { from: client.run_as, to: null },
  });
  const ended = await transaction(async (session) => {
    const removed = await oauthClients.deleteOne({ _id: id, organization_id: caller.organization_id }, { session });
    if (removed.deletedCount === 0) throw new Fault("client_not_found");
    await authorizationCodes.deleteMany({ client_id: id }, { session });
    await audit({ type: "client_deleted", ...told(caller, id, device) }, session);
    return removeSessions(collections, { client_id: id }, session);
  });
  await revokeSessions(ended);
};
