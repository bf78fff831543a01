import { setTimeout as sleep } from "node:timers/promises";
import { elapsedMillis, now, nowMillis } from "../clock.ts";
import { Fault } from "../faults.ts";
import { log } from "../log.ts";
import { sendMail } from "../messaging/messaging.ts";
import { base, ensureBaseIndexes, type Identity } from "../tenant/tenant.ts";
import { opaqueToken } from "../tokens/tokens.ts";
import { audit, organizationsOf } from "./audit.ts";
import { changeCredentials } from "./credential-change.ts";
import type { Device } from "./device.ts";
import { hashOf } from "./hashes.ts";
import { passwordResetMail } from "./mails.ts";
import { newPasswordHash } from "./password-change.ts";

const LIFETIME_MS = 30 * 60_000;
const MAX_LIVE = 3;

/** The answer is given after this time, whatever was to be done. A cold start that mails takes less. */
const ANSWER_MS = 2_000;

/** What ends with a mail that is given up. */
const MARGIN_MS = 100;

/** A token for the identity, or null while enough of them are on their way. */
const newReset = async ({ _id: user_id }: Identity): Promise<string | null> => {
  const { users, passwordResets, transaction } = await base();
  const token = opaqueToken("tpr");
  const created_date = now();
  const expires_at = new Date(created_date.getTime() + LIFETIME_MS);
  const made = await transaction(async (session) => {
    // Every reset writes the identity, so those at the same moment are counted one after the other.
    await users.updateOne({ _id: user_id }, { $set: { password_reset_asked_at: created_date } }, { session });
    const live = await passwordResets.countDocuments({ user_id, expires_at: { $gt: created_date } }, { session });
    if (live >= MAX_LIVE) return false;
    await passwordResets.insertOne({ _id: hashOf(token), user_id, created_date, expires_at }, { session });
    return true;
  });
  return made ? token : null;
};

const isTimeout = (error: unknown): boolean =>
  error instanceof Fault && error.cause instanceof Error && error.cause.name === "TimeoutError";

/** A mail that was refused takes the token back, so that it does not count; one that was given up may still come. */
const mailToken = async (
  { email }: Identity,
  token: string,
  { device, within }: { readonly device: Device; readonly within: number },
): Promise<void> => {
  try {
    await sendMail(passwordResetMail(email, token, device), within);
  } catch (error) {
    const { passwordResets } = await base();
    if (!isTimeout(error)) await passwordResets.deleteOne({ _id: hashOf(token) });
    throw error;
  }
};

const ask = async (email: string, device: Device, giveUpAt: number): Promise<void> => {
  await ensureBaseIndexes();
  const { users } = await base();
  const identity = await users.findOne({ email, is_active: true });
  const token = identity === null ? null : await newReset(identity);
  if (identity === null || token === null) return;
  await audit({
    type: "password_reset_asked",
    user_id: identity._id,
    organizations: organizationsOf(identity),
    device,
  });
  const left = Math.max(giveUpAt - elapsedMillis(), 0);
  await mailToken(identity, token, { device, within: Math.floor(left) });
};

/**
 * Mails a token that sets a new password. Whatever the email, this ends alike and takes the same time, however long the mail
 * service takes: it has what is left of that time, and a mail that it has not accepted by then is given up. To answer first
 * and mail then is no way: Lambda stops the function with its answer. (A database that needs longer than all of the time
 * does show, since an unknown email asks less of it.)
 */
export const askPasswordReset = async (email: string, device: Device): Promise<void> => {
  const answerAt = elapsedMillis() + ANSWER_MS;
  try {
    await ask(email, device, answerAt - MARGIN_MS);
  } catch (error) {
    if (!(error instanceof Fault && error.code === "dependency_unavailable")) throw error;
    log.error({ err: error.cause }, "a password reset could not be mailed");
  }
  await sleep(Math.max(answerAt - elapsedMillis(), 0));
};

const invalidToken = (): Fault => new Fault("invalid_reset_token");

/**
 * Sets a new password with a mailed token, once; every session of the person ends. A second factor stays.
 * Raises `invalid_reset_token` and `validation_failed`, which leaves the token as it is.
 */
export const resetPassword = async (token: string, password: string, device: Device): Promise<void> => {
  const { users, passwordResets } = await base();
  const reset = await passwordResets.findOne({ _id: hashOf(token) });
  if (reset === null || reset.expires_at.getTime() <= nowMillis()) throw invalidToken();
  const identity = await users.findOne({ _id: reset.user_id, is_active: true });
  if (identity === null) throw invalidToken();
  const password_hash = await newPasswordHash(identity, password);
  const changed = await changeCredentials({
    identity,
    type: "password_reset",
    device,
    keep: null,
    update: { $set: { password_hash, modified_date: now() } },
    alongside: async (collections, session) => {
      const used = await collections.passwordResets.deleteOne({ _id: reset._id }, { session });
      if (used.deletedCount !== 1) throw invalidToken();
    },
  });
  if (!changed) throw invalidToken();
};
