import { createHmac, randomBytes } from "node:crypto";
import { now, nowMillis } from "#shared/foundation/clock";
import { isDuplicateKey } from "#shared/foundation/duplicate-key";
import { base, type OAuthClient, type RefreshToken, type Session } from "#shared/tenant/tenant";
import { hashOf } from "../credentials/hashes.ts";
import type { Device } from "../sessions/device.ts";
import { publishAndWrite } from "../sessions/session-replicas.ts";
import { accessTokenFor } from "../sessions/sessions.ts";
import { type AppTokenAnswer, memberOf, revokeGrant } from "./app-sessions.ts";
import { invalidGrant, invalidRequest } from "./errors.ts";
import { grantedScope, namesOf } from "./scopes.ts";

/** Tabs of one app refresh at the same time. A later reuse is treated as theft. */
const GRACE_MS = 30_000;

type Rotated = RefreshToken & { rotation: NonNullable<RefreshToken["rotation"]> };

/**
 * The successor is computed from the token and from a salt in the database. Neither is enough alone. So the successor
 * need not be stored, and a second use of the token is answered the same one.
 */
const successorOf = (token: string, salt: string): string =>
  `trt_${createHmac("sha256", token).update(salt).digest("base64url")}`;

/** Marks the token as rotated, once. Concurrent requests all see the same mark. */
const rotate = async (token: RefreshToken): Promise<Rotated> => {
  const { refreshTokens } = await base();
  const rotation = { salt: randomBytes(32).toString("base64url"), at: now() };
  const mine = await refreshTokens.updateOne({ _id: token._id, rotation: { $exists: false } }, { $set: { rotation } });
  if (mine.matchedCount === 1) return { ...token, rotation };
  const theirs = await refreshTokens.findOne({ _id: token._id });
  if (theirs?.rotation === undefined) throw invalidGrant();
  return { ...theirs, rotation: theirs.rotation };
};

const storeSuccessor = async (session: Session, id: string): Promise<void> => {
  const { refreshTokens } = await base();
  const { _id: session_id, user_id, client_id, expires_at } = session;
  const document = { session_id, user_id, ...(client_id && { client_id }), created_date: now(), expires_at };
  try {
    await refreshTokens.updateOne({ _id: id }, { $setOnInsert: document }, { upsert: true });
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
  }
};

/** Whether a rotated token is used after its grace period, or after its successor was used. */
const isStolen = async ({ rotation }: Rotated, successorId: string): Promise<boolean> => {
  if (nowMillis() - rotation.at.getTime() > GRACE_MS) return true;
  const { refreshTokens } = await base();
  const successor = await refreshTokens.findOne({ _id: successorId });
  return successor?.rotation !== undefined;
};

export interface Refresh {
  readonly refresh_token?: string | undefined;
  readonly scope?: string | undefined;
}

/**
 * A new access token and the next refresh token of an app's session. A token used again within 30 seconds gives the
 * same successor; later, or once the successor was used, the whole family ends (RFC 9700 §4.14). Raises
 * `invalid_request`, `invalid_scope` and `invalid_grant`.
 */
export const refreshGrant = async (client: OAuthClient, refresh: Refresh, device: Device): Promise<AppTokenAnswer> => {
  if (refresh.refresh_token === undefined) throw invalidRequest("The refresh_token is missing.");
  const { refreshTokens, sessions } = await base();
  const own = { client_id: client._id, expires_at: { $gt: now() } };
  const token = await refreshTokens.findOne({ _id: hashOf(refresh.refresh_token), ...own });
  const session = token === null ? null : await sessions.findOne({ _id: token.session_id, ...own });
  if (token === null || session === null) throw invalidGrant();
  const scope = grantedScope(refresh.scope, namesOf(session.scope));
  const { user_id, organization_id, second_factor = false, created_date: begun } = session;
  const identity = await memberOf(organization_id, { id: user_id, second_factor, begun });
  const rotated = await rotate(token);
  const successor = successorOf(refresh.refresh_token, rotated.rotation.salt);
  if (await isStolen(rotated, hashOf(successor))) {
    await revokeGrant(session._id, client, device);
    throw invalidGrant("This refresh token was replaced; everything issued with it is revoked.");
  }
  await storeSuccessor(session, hashOf(successor));
  await publishAndWrite(session, session.organization_id, async () => {
    if ((await sessions.findOne({ _id: session._id })) === null) throw invalidGrant();
  });
  return { ...(await accessTokenFor({ ...session, scope }, identity.email)), refresh_token: successor, scope };
};
