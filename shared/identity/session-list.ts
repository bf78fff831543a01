import { now } from "../clock.ts";
import { Fault } from "../faults.ts";
import { base, type Caller, type Session } from "../tenant/tenant.ts";
import { audit } from "./audit.ts";
import type { Device } from "./device.ts";
import { dismissAll, removeSessions } from "./ending.ts";
import { findClient } from "./oauth/clients.ts";

/** Nobody has more devices than this; the newest are shown. */
const MAX_LISTED = 200;

const appOf = async ({ client_id }: Session) => {
  if (client_id === undefined) return null;
  return { id: client_id, name: (await findClient(client_id))?.name ?? client_id };
};

/** The caller's own sessions, newest first: where they are signed in, and which apps act for them. */
export const listSessions = async ({ id, session_id }: Caller) => {
  const { sessions } = await base();
  const live = { user_id: id, expires_at: { $gt: now() } };
  const found = await sessions.find(live, { sort: { _id: -1 }, limit: MAX_LISTED }).toArray();
  return Promise.all(
    found.map(async (session) => ({
      id: session._id,
      current: session._id === session_id,
      organization_id: session.organization_id,
      app: await appOf(session),
      scope: session.scope,
      // Sessions of before these were kept have neither.
      address: session.address ?? "",
      user_agent: session.user_agent ?? "",
      created_date: session.created_date.toISOString(),
      expires_at: session.expires_at.toISOString(),
    })),
  );
};

/** Ends one of the caller's own sessions, everywhere and at once. Raises `session_not_found`. */
export const endSession = async (caller: Caller, sessionId: string, device: Device): Promise<void> => {
  const collections = await base();
  const { id: user_id, session_id, organization_id } = caller;
  const ended = await collections.transaction(async (transaction) => {
    const removed = await removeSessions(collections, { _id: sessionId, user_id }, transaction);
    if (removed.length === 0) throw new Fault("session_not_found");
    const client_id = removed[0]?.client_id;
    const type = client_id === undefined ? "session_ended" : "grant_revoked";
    const organizations = [...new Set([organization_id, ...removed.flatMap((one) => one.organizations)])];
    const app = client_id === undefined ? {} : { client_id };
    await audit({ type, user_id, organizations, session_id, ...app, device }, transaction);
    return removed;
  });
  await dismissAll(ended);
};
