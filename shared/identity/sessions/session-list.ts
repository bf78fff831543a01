import type { Document, Filter } from "mongodb";
import { now } from "#shared/foundation/clock";
import { Fault } from "#shared/foundation/faults";
import {
  base,
  beganBeforeActivation,
  type Caller,
  type Session,
  type Tenant,
  type UserRights,
} from "#shared/tenant/tenant";
import { audit } from "../audit.ts";
import { findClient } from "../oauth/clients.ts";
import type { Device } from "./device.ts";
import { revokeSessions } from "./session-replicas.ts";
import { removeSessions } from "./sessions.ts";

/** The newest sessions are listed. */
const MAX_LISTED = 200;

interface Colleague extends Document {
  _id: string;
  is_account_owner?: boolean;
}

/**
 * The sessions of a person that administrators of an organization may see and end: those that act in it, and those of
 * the sign-in pages, which could authorize an app in it.
 */
const inOrganization = ({ organization_id }: Caller): Filter<Session> => ({
  $or: [{ organizations: organization_id }, { browser_hash: { $exists: true } }],
});

const kindOf = ({ client_id, browser_hash }: Session): "device" | "browser" | "app" => {
  if (client_id !== undefined) return "app";
  return browser_hash === undefined ? "device" : "browser";
};

const appOf = async ({ client_id }: Session) => {
  if (client_id === undefined) return null;
  return { id: client_id, name: (await findClient(client_id))?.name ?? client_id };
};

/**
 * A filter for the sessions that the caller may list or end: their own, or a user's if they are an administrator.
 * Raises `forbidden` and `record_not_found`.
 */
const meant = async ({ caller, collection }: Tenant, userId: string, toEnd: boolean): Promise<Filter<Session>> => {
  if (userId === caller.id) return { user_id: userId };
  if (!caller.is_admin) throw new Fault("forbidden", { message: "Only an administrator may see others' sessions." });
  const user = await collection<Colleague>("user").findOne({ _id: userId }, { projection: { is_account_owner: 1 } });
  if (user === null) throw new Fault("record_not_found");
  if (toEnd && user.is_account_owner === true && !caller.is_account_owner && !caller.is_superuser) {
    throw new Fault("forbidden", { message: "Only an owner may end an owner's session." });
  }
  return { user_id: userId, ...inOrganization(caller) };
};

/** Whether a session can still be used. Sessions that act here and began before the user was activated again cannot. */
const livePredicate = async (
  { caller, collection }: Tenant,
  userId: string,
): Promise<(session: Session) => boolean> => {
  const user = await collection<UserRights>("user").findOne({ _id: userId }, { projection: { active_since: 1 } });
  if (user === null) return () => true;
  return ({ created_date, organizations }) => {
    const others = organizations.filter((id) => id !== caller.organization_id);
    const actsHere = others.length < organizations.length;
    const isLeft = userId === caller.id && others.length > 0;
    return !actsHere || isLeft || !beganBeforeActivation(user, created_date);
  };
};

/** Address and user agent. Sessions from before these were stored have neither. */
const originOf = ({ address = "", user_agent = "" }: Partial<Session>) => ({ address, user_agent });

/**
 * A colleague's session as an administrator of this organization sees it. A browser that has signed in elsewhere is
 * listed, so that it can be ended, but without its address and user agent.
 */
const seenHere = (session: Session, { organization_id }: Caller): Session => {
  const isElsewhere = session.browser_hash !== undefined && session.organization_id !== organization_id;
  return { ...session, organization_id, ...(isElsewhere && originOf({})) };
};

/**
 * The sessions of the caller, newest first, with those of apps; or, for an administrator, a user's sessions as far as
 * they concern the organization. Raises `forbidden` and `record_not_found`.
 */
export const listSessions = async (tenant: Tenant, userId = tenant.caller.id) => {
  const { caller } = tenant;
  const { sessions } = await base();
  const live = { ...(await meant(tenant, userId, false)), expires_at: { $gt: now() } };
  const found = await sessions.find(live, { sort: { _id: -1 }, limit: MAX_LISTED }).toArray();
  const isLive = await livePredicate(tenant, userId);
  const seen = userId === caller.id ? found : found.map((session) => seenHere(session, caller));
  return Promise.all(
    seen.filter(isLive).map(async (session) => ({
      id: session._id,
      current: session._id === caller.session_id,
      kind: kindOf(session),
      organization_id: session.organization_id,
      app: await appOf(session),
      scope: session.scope,
      second_factor: session.second_factor === true,
      ...originOf(session),
      created_date: session.created_date.toISOString(),
      expires_at: session.expires_at.toISOString(),
    })),
  );
};

/**
 * Ends a session of the caller, or of a user if the caller is an administrator, in all of its organizations.
 * Raises `session_not_found`, `forbidden` and `record_not_found`.
 */
export const endSession = async (
  tenant: Tenant,
  { id: sessionId, user_id = tenant.caller.id }: { readonly id: string; readonly user_id?: string | undefined },
  device: Device,
): Promise<void> => {
  const { session_id, organization_id } = tenant.caller;
  const where = { _id: sessionId, ...(await meant(tenant, user_id, true)) };
  const collections = await base();
  const ended = await collections.transaction(async (transaction) => {
    const removed = await removeSessions(collections, where, transaction);
    if (removed.length === 0) throw new Fault("session_not_found");
    const client_id = removed[0]?.client_id;
    const type = client_id === undefined ? "session_ended" : "grant_revoked";
    // Other organizations are not told what an administrator of this one does, nor this one what a person ends
    // elsewhere.
    const own = user_id === tenant.caller.id ? removed.flatMap((one) => one.organizations) : [];
    const organizations = own.length > 0 ? own : [organization_id];
    const app = client_id === undefined ? {} : { client_id };
    const done = { acted_in: organization_id, session_id, device };
    await audit({ type, user_id, organizations, ...app, ...done }, transaction);
    return removed;
  });
  await revokeSessions(ended);
};
