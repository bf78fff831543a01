import { randomBytes, randomInt } from "node:crypto";
import { now } from "#shared/foundation/clock";
import { networkOf } from "#shared/foundation/network";
import { base, type Caller, type Identity, type LoginRequest } from "#shared/tenant/tenant";
import { hashOf } from "../credentials/hashes.ts";
import { type Device, storedDevice } from "../sessions/device.ts";
import { isKnownAddress } from "./attempts.ts";
import { unchanged } from "./complete-sign-in.ts";
import { takeLoginRequestSlot } from "./login-request-slots.ts";
import { invalidCredentials } from "./refusals.ts";

const LIFETIME_MS = 10 * 60_000;

/** Wrong codes and numbers that one request allows. */
const MAX_TRIES = 5;

const fingerprint = (passwordHash: string, factor: Identity["two_factor"]): string =>
  hashOf(`${factor} ${passwordHash}`);

/** Whether the person's credentials are still those with which the request was begun. */
export const hasSameCredentials = ({ credentials }: LoginRequest, { password_hash, two_factor }: Identity): boolean =>
  credentials === fingerprint(password_hash, two_factor);

const live = () => ({ status: "pending" as const, expires_at: { $gt: now() } });

/** Two digits without a leading zero, so that nobody wonders whether to type it. */
const newNumber = (): string => String(randomInt(10, 100));

/**
 * Stores that a password was right and a second factor is awaited. Answers the secret id, which only the caller is
 * told. Raises `too_many_attempts` for a sixth request of a network at a time, and `invalid_credentials` if the
 * password has changed.
 */
export const openRequest = async (
  identity: Identity,
  device: Device,
  { codeHash, rehashed }: { readonly codeHash: string | null; readonly rehashed: string | undefined },
): Promise<{ sessionId: string; number: string }> => {
  const collections = await base();
  const { users, loginRequests, transaction } = collections;
  const sessionId = `tls_${randomBytes(32).toString("base64url")}`;
  const created = now();
  const request: LoginRequest = {
    _id: hashOf(sessionId),
    user_id: identity._id,
    status: "pending",
    credentials: fingerprint(rehashed ?? identity.password_hash, identity.two_factor),
    number: newNumber(),
    code_hash: codeHash,
    tries: 0,
    ...storedDevice(device),
    familiar: await isKnownAddress(identity.email, device.address),
    created_date: created,
    expires_at: new Date(created.getTime() + LIFETIME_MS),
  };
  await transaction(async (session) => {
    // Every request writes the identity, so concurrent requests are counted one after the other.
    const held = await users.updateOne(
      unchanged(identity),
      { $set: { second_factor_asked_at: created, ...(rehashed ? { password_hash: rehashed } : {}) } },
      { session },
    );
    if (held.matchedCount !== 1) throw invalidCredentials();
    await takeLoginRequestSlot(request, collections, session);
    await loginRequests.insertOne({ ...request }, { session });
  });
  return { sessionId, number: request.number };
};

/** Deletes a request whose code could not be mailed, so that it does not count. */
export const withdrawRequest = async (sessionId: string): Promise<void> => {
  const { loginRequests } = await base();
  await loginRequests.deleteOne({ _id: hashOf(sessionId) });
};

/**
 * The request that a code is for. Without an id it is the latest one from the same network, so nobody can guess at a
 * request of somebody else.
 */
export const findPending = async (
  userId: string,
  sessionId: string | undefined,
  address: string,
): Promise<LoginRequest | null> => {
  const { loginRequests } = await base();
  if (sessionId !== undefined) return loginRequests.findOne({ _id: hashOf(sessionId), user_id: userId, ...live() });
  const pending = await loginRequests.find({ user_id: userId, ...live() }, { sort: { created_date: -1 } }).toArray();
  return pending.find((request) => networkOf(request.address) === networkOf(address)) ?? null;
};

/** Counts a try before it is made. False once none is left. */
export const takeTry = async ({ _id }: LoginRequest): Promise<boolean> => {
  const { loginRequests } = await base();
  const taken = await loginRequests.updateOne({ _id, ...live(), tries: { $lt: MAX_TRIES } }, { $inc: { tries: 1 } });
  return taken.matchedCount === 1;
};

/** A sign-in that waits for its second factor, as the browser that began it sees it. */
export interface PendingSignIn {
  readonly email: string;
  /** Where the code comes from: a mail, also for people without a factor of their own, or their app. */
  readonly factor: Exclude<Identity["two_factor"], "off">;
  /** The number that the approving device must repeat. */
  readonly number: string;
  readonly status: Exclude<LoginRequest["status"], "completed">;
}

/** Null once it is completed or has expired, and if the person's credentials have changed since. */
export const findPendingSignIn = async (sessionId: string): Promise<PendingSignIn | null> => {
  const { users, loginRequests } = await base();
  const request = await loginRequests.findOne({ _id: hashOf(sessionId), expires_at: { $gt: now() } });
  if (request === null || request.status === "completed") return null;
  const identity = await users.findOne({ _id: request.user_id, is_active: true });
  if (identity === null || !hasSameCredentials(request, identity)) return null;
  const factor = identity.two_factor === "totp" ? "totp" : "email";
  return { email: identity.email, factor, number: request.number, status: request.status };
};

/**
 * The caller's own sign-ins that wait for their second factor, newest first. The answered id is the hash of the secret
 * id: it is enough to approve or reject, but not to complete the sign-in. The number is not answered, because it must
 * be read on the device that signs in.
 */
export const listPendingSignIns = async ({ id }: Pick<Caller, "id">) => {
  const { loginRequests } = await base();
  const found = await loginRequests.find({ user_id: id, ...live() }, { sort: { created_date: -1 } }).toArray();
  return found.map(({ _id, address, user_agent, created_date, expires_at }) => ({
    session_id: _id,
    address,
    user_agent,
    created_date: created_date.toISOString(),
    expires_at: expires_at.toISOString(),
  }));
};
