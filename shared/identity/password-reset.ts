import { createHash } from "node:crypto";
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
import { passwordResetMail } from "./mails.ts";
import { newPasswordHash } from "./password-change.ts";

const LIFETIME_MS = 30 * 60_000;
const MAX_LIVE = 3;

/** Longer than a mail takes to be accepted: nobody can tell by the time whether there was one. */
const ANSWER_MS = 750;

const idOf = (token: string): string => createHash("sha256").update(token).digest("base64url");

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
    await passwordResets.insertOne({ _id: idOf(token), user_id, created_date, expires_at }, { session });
    return true;
  });
  return made ? token : null;
};

const ask = async (email: string, device: Device): Promise<void> => {
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
  await sendMail(passwordResetMail(identity.email, token, device));
};

/** Mails a token that sets a new password. Whatever the email, this ends alike and takes the same time. */
export const askPasswordReset = async (email: string, device: Device): Promise<void> => {
  const startedAt = elapsedMillis();
  try {
    await ask(email, device);
  } catch (error) {
    if (!(error instanceof Fault && error.code === "dependency_unavailable")) throw error;
    log.error({ err: error.cause }, "a password reset could not be mailed");
  }
  await sleep(Math.max(ANSWER_MS - (elapsedMillis() - startedAt), 0));
};

const invalidToken = (): Fault => new Fault("invalid_reset_token");

/**
 * Sets a new password with a mailed token, once; every session of the person ends. A second factor stays.
 * Raises `invalid_reset_token` and `validation_failed`, which leaves the token as it is.
 */
export const resetPassword = async (token: string, password: string, device: Device): Promise<void> => {
  const { users, passwordResets } = await base();
  const reset = await passwordResets.findOne({ _id: idOf(token) });
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
