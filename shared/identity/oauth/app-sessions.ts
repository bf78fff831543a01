import type { ClientSession } from "mongodb";
import { v7 as uuidv7 } from "uuid";
import { now } from "#shared/foundation/clock";
import { type Base, base, type Identity, type OAuthClient, type Session } from "#shared/tenant/tenant";
import { audit } from "../audit.ts";
import { type Device, storedDevice } from "../sessions/device.ts";
import { presentMembershipIn, type SignedInPerson } from "../sessions/membership.ts";
import { publishAndWrite, revokeSessions } from "../sessions/session-replicas.ts";
import { type AccessTokenAnswer, accessTokenFor, newRefreshToken, removeSessions } from "../sessions/sessions.ts";
import { invalidGrant } from "./errors.ts";

export interface AppTokenAnswer extends AccessTokenAnswer {
  readonly refresh_token?: string;
  /** Separated by blanks. */
  readonly scope: string;
}

export interface AppGrant {
  readonly client: OAuthClient;
  /** The responsible administrator of a client that acts alone. */
  readonly responsible?: string;
  readonly user_id: string;
  readonly organization_id: string;
  readonly scope: string;
  /** Whether the person has given a second factor, or none can be asked for. */
  readonly second_factor: boolean;
  /** When the code or the session of the app was created. */
  readonly begun: Date;
  readonly device: Device;
  readonly milliseconds: number;
  /** Whether a refresh token is issued. */
  readonly refreshable: boolean;
  /** Uses up the code; raises if it was used already. */
  readonly alongside?: (collections: Base, sessionId: string, transaction: ClientSession) => Promise<void>;
}

const NO_FACTOR =
  "The organization requires a second factor, and the person has let the app in without one. They have to sign " +
  "in again.";

/**
 * A person who can work in the organization now. Raises `invalid_grant`, and `sandbox_refreshing` and
 * `database_unavailable` if they can when it is available again.
 */
export const memberOf = async (organizationId: string, person: SignedInPerson): Promise<Identity> => {
  const { users } = await base();
  const identity = await users.findOne({ _id: person.id, is_active: true, "organizations.id": organizationId });
  const membership = identity === null ? "none" : await presentMembershipIn(organizationId, person);
  if (membership === "second_factor_required") throw invalidGrant(NO_FACTOR);
  if (identity === null || membership !== "active") throw invalidGrant();
  return identity;
};

/** Begins a session of an app for a person. It never has a superuser's rights and acts in one organization only. */
export const beginAppSession = async (grant: AppGrant): Promise<AppTokenAnswer> => {
  const { client, responsible, user_id, organization_id, scope, second_factor, device, alongside } = grant;
  const identity = await memberOf(organization_id, { id: user_id, second_factor, begun: grant.begun });
  const created_date = now();
  const session: Session = {
    _id: uuidv7(),
    user_id,
    client_id: client._id,
    ...(responsible && { responsible }),
    organization_id,
    organizations: [organization_id],
    is_superuser: false,
    second_factor,
    scope,
    ...storedDevice(device),
    created_date,
    expires_at: new Date(created_date.getTime() + grant.milliseconds),
  };
  const access = await accessTokenFor(session, identity.email);
  const refresh = newRefreshToken(session);
  const collections = await base();
  await publishAndWrite(session, organization_id, () =>
    collections.transaction(async (transaction) => {
      await alongside?.(collections, session._id, transaction);
      await collections.sessions.insertOne({ ...session }, { session: transaction });
      if (grant.refreshable) await collections.refreshTokens.insertOne(refresh.document, { session: transaction });
      const who = { user_id, organizations: [organization_id], session_id: session._id, client_id: client._id, device };
      await audit({ type: "grant_issued", ...who }, transaction);
    }),
  );
  return { ...access, ...(grant.refreshable ? { refresh_token: refresh.token } : {}), scope };
};

/** Ends an app's session with all of its tokens, after a reuse that only a thief or a broken client would try. */
export const revokeGrant = async (sessionId: string, client: OAuthClient, device: Device): Promise<void> => {
  const collections = await base();
  const ended = await collections.transaction(async (transaction) => {
    const removed = await removeSessions(collections, { _id: sessionId, client_id: client._id }, transaction);
    for (const { _id, user_id, organizations } of removed) {
      const who = { user_id, organizations, session_id: _id, client_id: client._id, device };
      await audit({ type: "grant_revoked", ...who }, transaction);
    }
    return removed;
  });
  await revokeSessions(ended);
};
