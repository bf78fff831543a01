import { randomBytes, randomInt } from "node:crypto";
import { now } from "#shared/foundation/clock";
import { base, type Identity, type LoginRequest } from "#shared/tenant/tenant";
import { hashOf } from "../credentials/hashes.ts";
import { type Device, storedDevice } from "../sessions/device.ts";
import { networkOf } from "./address.ts";
import { isKnownAddress } from "./attempts.ts";
import { unchanged } from "./complete-sign-in.ts";
import { invalidCredentials } from "./refusals.ts";
import { makePlace } from "./waiting-places.ts";

const LIFETIME_MS = 10 * 60_000;

/** Codes and numbers that one request bears. */
const MAX_TRIES = 5;

const fingerprint = (passwordHash: string, factor: Identity["two_factor"]): string =>
  hashOf(`${factor} ${passwordHash}`);

/** Whether the person's credentials are still those that the request was begun with. */
export const isOfThese = ({ credentials }: LoginRequest, { password_hash, two_factor }: Identity): boolean =>
  credentials === fingerprint(password_hash, two_factor);

const live = () => ({ status: "pending" as const, expires_at: { $gt: now() } });

/** Two digits, the first one not zero, so that nobody wonders whether to type it. */
const newNumber = (): string => String(randomInt(10, 100));

/**
 * Notes that a password was right and a second factor is awaited; answers the id that only the caller learns.
 * Raises `too_many_attempts` for a sixth one of a network at a time, and `invalid_credentials` if the password is right no longer.
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
    // Every request writes the identity, so requests at the same moment are counted one after the other.
    const held = await users.updateOne(
      unchanged(identity),
      { $set: { second_factor_asked_at: created, ...(rehashed ? { password_hash: rehashed } : {}) } },
      { session },
    );
    if (held.matchedCount !== 1) throw invalidCredentials();
    await makePlace(request, collections, session);
    await loginRequests.insertOne({ ...request }, { session });
  });
  return { sessionId, number: request.number };
};

/** As if it had never been asked for. */
export const withdrawRequest = async (sessionId: string): Promise<void> => {
  const { loginRequests } = await base();
  await loginRequests.deleteOne({ _id: hashOf(sessionId) });
};

/**
 * The request that a code is meant for. Without an id it is the latest that was begun from the same address: who does not
 * know the password has no request to guess at.
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

/** Counts a try before it is made; false once there are none left. */
export const takeTry = async ({ _id }: LoginRequest): Promise<boolean> => {
  const { loginRequests } = await base();
  const taken = await loginRequests.updateOne({ _id, ...live(), tries: { $lt: MAX_TRIES } }, { $inc: { tries: 1 } });
  return taken.matchedCount === 1;
};
