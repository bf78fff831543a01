import type { ClientSession, Filter } from "mongodb";
import { v7 as uuidv7 } from "uuid";
import { now } from "#shared/foundation/clock";
import { ACCESS_TOKEN_SECONDS, issueAccessToken, opaqueToken } from "#shared/foundation/tokens/tokens";
import { type Base, base, type Caller, type Identity, type RefreshToken, type Session } from "#shared/tenant/tenant";
import { audit } from "../audit.ts";
import { hashOf } from "../credentials/hashes.ts";
import { type Device, storedDevice } from "./device.ts";
import { publishAndWrite, revokeSession } from "./session-replicas.ts";

export interface AccessTokenAnswer {
  readonly access_token: string;
  readonly token_type: "bearer";
  /** Seconds. */
  readonly expires_in: number;
}

export interface TokenAnswer extends AccessTokenAnswer {
  readonly refresh_token: string;
}

/** RFC 6749 §5.1: answers with tokens must not be cached. */
export const tokenHeaders = { "cache-control": "no-store", pragma: "no-cache" } as const;

const SESSION_MS = 30 * 24 * 60 * 60_000;

/** The scope of a sign-in with a password. */
const FULL_SCOPE = "all";

type SessionOf = Pick<Session, "_id" | "user_id" | "client_id" | "expires_at">;

/** A further refresh token of a session. It expires with the session. */
export const newRefreshToken = (session: SessionOf): { token: string; document: RefreshToken } => {
  const token = opaqueToken("trt");
  const document: RefreshToken = {
    _id: hashOf(token),
    session_id: session._id,
    user_id: session.user_id,
    ...(session.client_id && { client_id: session.client_id }),
    created_date: now(),
    expires_at: session.expires_at,
  };
  return { token, document };
};

/** An access token of a session for its active organization. */
export const accessTokenFor = async (session: Session, email: string): Promise<AccessTokenAnswer> => ({
  access_token: await issueAccessToken({
    sub: session.user_id,
    org: session.organization_id,
    email,
    sid: session._id,
    scope: session.scope,
    ...(session.responsible && { responsible: session.responsible }),
  }),
  token_type: "bearer",
  expires_in: ACCESS_TOKEN_SECONDS,
});

/** A session that is not stored yet, and the answer to the sign-in that begins it. */
export interface NewSession<A> {
  readonly id: string;
  readonly answer: A;
  /** Publishes the session in its organization, if it acts there, and then runs `write` as `publishAndWrite` does. */
  publishAndWrite<T>(write: () => Promise<T>): Promise<T>;
  /** Stores the session in the base database, in the transaction that completes the sign-in. */
  store(collections: Base, transaction: ClientSession): Promise<void>;
}

export type SessionOwner = Pick<Identity, "_id" | "email" | "is_superuser"> & {
  /** Whether they have given a second factor. */
  readonly second_factor?: boolean;
};

/** Makes the kind of session that a sign-in ends in: one with tokens, or one of the sign-in pages. */
export type PrepareSession<A> = (who: SessionOwner, organizationId: string, device: Device) => Promise<NewSession<A>>;

/** A session without an app, with the person's full access. */
export const ownSession = (
  who: SessionOwner,
  organizationId: string,
  device: Device,
  milliseconds: number,
): Session => {
  const created = now();
  return {
    _id: uuidv7(),
    user_id: who._id,
    organization_id: organizationId,
    organizations: [organizationId],
    is_superuser: who.is_superuser,
    second_factor: who.second_factor === true,
    scope: FULL_SCOPE,
    ...storedDevice(device),
    created_date: created,
    expires_at: new Date(created.getTime() + milliseconds),
  };
};

/** Signs the tokens before anything is stored, so that a failure of the key service leaves nothing behind. */
export const tokenSession: PrepareSession<TokenAnswer> = async (identity, organizationId, device) => {
  const session = ownSession(identity, organizationId, device, SESSION_MS);
  const refresh = newRefreshToken(session);
  return {
    id: session._id,
    answer: { ...(await accessTokenFor(session, identity.email)), refresh_token: refresh.token },
    publishAndWrite: (write) => publishAndWrite(session, organizationId, write),
    async store({ sessions, refreshTokens }, transaction) {
      await sessions.insertOne({ ...session }, { session: transaction });
      await refreshTokens.insertOne(refresh.document, { session: transaction });
    },
  };
};

/** Ends sessions with all of their refresh tokens in the base database. `revokeSessions` must follow the commit. */
export const removeSessions = async (
  { sessions, refreshTokens }: Base,
  where: Filter<Session>,
  transaction: ClientSession,
): Promise<Session[]> => {
  const ended = await sessions.find(where, { session: transaction }).toArray();
  const ids = ended.map(({ _id }) => _id);
  await refreshTokens.deleteMany({ session_id: { $in: ids } }, { session: transaction });
  await sessions.deleteMany({ _id: { $in: ids } }, { session: transaction });
  return ended;
};

/**
 * Ends the caller's session with all of its refresh tokens, and then revokes it in each organization, which takes
 * effect in every execution environment at once. Repeatable after an interruption.
 */
export const logout = async (
  caller: Pick<Caller, "id" | "session_id" | "organization_id">,
  device: Device,
): Promise<void> => {
  const { id, session_id, organization_id } = caller;
  const { sessions, refreshTokens, transaction } = await base();
  const ended = await transaction(async (session) => {
    await refreshTokens.deleteMany({ session_id }, { session });
    const found = await sessions.findOneAndDelete({ _id: session_id, user_id: id }, { session });
    if (found !== null) {
      await audit({ type: "signed_out", user_id: id, organizations: [organization_id], session_id, device }, session);
    }
    return found;
  });
  await revokeSession({ _id: session_id, organizations: ended?.organizations ?? [organization_id] });
};
