import type { Document } from "mongodb";
import { v7 as uuidv7 } from "uuid";
import type * as z from "zod";
import type { newOauthClient, oauthClient } from "#contracts/oauth-bodies";
import { now } from "../../clock.ts";
import { Fault, type Issue, refuseIfAny } from "../../faults.ts";
import { base, type Caller, type OAuthClient, type Tenant } from "../../tenant/tenant.ts";
import { opaqueToken } from "../../tokens/tokens.ts";
import { audit } from "../audit.ts";
import type { Device } from "../device.ts";
import { dismissAll, removeSessions } from "../ending.ts";
import { hashOf } from "../hashes.ts";

type NewClient = z.output<typeof newOauthClient>;

const answerOf = (client: OAuthClient): z.input<typeof oauthClient> => {
  const { _id: client_id, name, type, redirect_uris, scopes, run_as, created_date } = client;
  return { client_id, name, type, redirect_uris, scopes, run_as, created_date: created_date.toISOString() };
};

interface Candidate extends Document {
  _id: string;
  is_active?: boolean;
  is_account_owner?: boolean;
}

const issueAt = (field: string, msg: string): Issue => ({ loc: ["body", field], msg, type: "not_allowed" });

/** Whom the client may be: somebody who is active, and nobody who may do more than the admin who says so. */
const runAsIssues = async (tenant: Tenant, { type, run_as }: NewClient): Promise<Issue[]> => {
  if (run_as === undefined) return [];
  if (type === "public") return [issueAt("run_as", "Only a confidential client can act alone.")];
  const user = await tenant.collection<Candidate>("user").findOne({ _id: run_as });
  if (user?.is_active !== true) return [issueAt("run_as", "There is no active user with this id.")];
  const { is_account_owner, is_superuser } = tenant.caller;
  const beyond = user.is_account_owner === true && !is_account_owner && !is_superuser;
  return beyond ? [issueAt("run_as", "Only an owner may let a client run as an owner.")] : [];
};

/** Registers an app of the organization; the secret of a confidential one is in this answer and nowhere else. */
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
  const { oauthClients } = await base();
  await oauthClients.insertOne(client);
  await note(tenant.caller, "client_created", client._id, device);
  return { ...answerOf(client), ...(secret === undefined ? {} : { client_secret: secret }) };
};

const note = (
  { id, session_id, organization_id }: Caller,
  type: "client_created" | "client_deleted",
  client_id: string,
  device: Device,
) => audit({ type, user_id: id, organizations: [organization_id], session_id, client_id, device });

export const listClients = async ({ organization_id }: Caller) => {
  const { oauthClients } = await base();
  return (await oauthClients.find({ organization_id }, { sort: { _id: 1 } }).toArray()).map(answerOf);
};

/** Removes an app with all of its sessions and codes. Raises `client_not_found`. */
export const deleteClient = async (caller: Caller, id: string, device: Device): Promise<void> => {
  const collections = await base();
  const { oauthClients, authorizationCodes, transaction } = collections;
  const ended = await transaction(async (session) => {
    const removed = await oauthClients.deleteOne({ _id: id, organization_id: caller.organization_id }, { session });
    if (removed.deletedCount === 0) throw new Fault("client_not_found");
    await authorizationCodes.deleteMany({ client_id: id }, { session });
    return removeSessions(collections, { client_id: id }, session);
  });
  await dismissAll(ended);
  await note(caller, "client_deleted", id, device);
};
