import { setTimeout as sleep } from "node:timers/promises";
import type { Document, Filter } from "mongodb";
import { elapsedMillis, now } from "#shared/foundation/clock";
import { Fault } from "#shared/foundation/faults";
import { log } from "#shared/foundation/log";
import { base, ensureBaseIndexes, type Identity } from "#shared/tenant/tenant";
import { audit, organizationsOf } from "../audit.ts";
import { confirmMailbox } from "../mail/email-confirmation.ts";
import { findMailedToken, mailToken, newMailedToken, useMailedToken } from "../mail/mailed-tokens.ts";
import { passwordResetMail } from "../mail/mails.ts";
import type { Device } from "../sessions/device.ts";
import { changeCredentials } from "./credential-change.ts";
import { newPasswordHash } from "./password-change.ts";
import type { LeakedPasswords } from "./password-policy.ts";
import { withResetSlot } from "./reset-slots.ts";

/** The answer is given after this time, whatever was to be done. A cold start that mails takes less. */
const ANSWER_MS = 2_000;

/** What ends with a mail that is given up. */
const MARGIN_MS = 100;

/** A token for the identity, or null while enough of them are on their way. */
const newReset = async (identity: Identity): Promise<string | null> => {
  const collections = await base();
  const made = await collections.transaction(async (session) => {
    const asked = { $set: { password_reset_asked_at: now() } };
    await collections.users.updateOne({ _id: identity._id }, asked, { session });
    return newMailedToken(identity, "password_reset", collections, session);
  });
  return made.token;
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
  await mailToken(token, passwordResetMail(email, token, device), Math.floor(left));
};

/**
 * Mails a token that sets a new password. Whatever the email, this ends alike and takes the same time, however long the mail
 * service takes: it has what is left of that time, and a mail that it has not accepted by then is given up. To answer first
 * and mail then is no way: Lambda stops the function with its answer. (A database that needs longer than all of the time
 * does show, since an unknown email asks less of it.)
 */
const askInTime = async (email: string, device: Device): Promise<void> => {
  const answerAt = elapsedMillis() + ANSWER_MS;
  try {
    await ask(email, device, answerAt - MARGIN_MS);
  } catch (error) {
    if (!(error instanceof Fault && error.code === "dependency_unavailable")) throw error;
    log.error({ err: error.cause }, "a password reset could not be mailed");
  }
  await sleep(Math.max(answerAt - elapsedMillis(), 0));
};

/** So many of these at a time. Raises `too_many_attempts` at once if there are, before anybody is looked for. */
export const askPasswordReset = (email: string, device: Device): Promise<void> =>
  withResetSlot(device.address, () => askInTime(email, device));

const invalidToken = (): Fault => new Fault("invalid_reset_token");

/** Nobody had shown that the mailbox is theirs: so whoever set up an authenticator app may be a stranger. */
const isUnproven = ({ email_confirmed }: Identity): boolean => email_confirmed !== true;

const updateOf = (identity: Identity, password_hash: string): Document => {
  const $set = { password_hash, modified_date: now() };
  if (!isUnproven(identity)) return { $set };
  const two_factor = identity.two_factor === "totp" ? (identity.totp?.before ?? "off") : identity.two_factor;
  return { $set: { ...$set, two_factor }, $unset: { totp: "", totp_enrolment: "" } };
};

const asSeen = (identity: Identity): Filter<Identity> => ({
  email_confirmed: isUnproven(identity) ? { $ne: true } : true,
});

/**
 * Sets a new password with a mailed token, once; every session of the person ends. It shows that they read the mailbox. A
 * second factor stays if that was known before; else an authenticator app goes, with its recovery codes.
 * Raises `invalid_reset_token` and `validation_failed`, which leaves the token as it is.
 */
export const resetPassword = async (
  token: string,
  password: string,
  device: Device,
  leaked: LeakedPasswords,
): Promise<void> => {
  const found = await findMailedToken(token, "password_reset", "invitation");
  if (found === null) throw invalidToken();
  const { identity, mailed } = found;
  const loses = isUnproven(identity) && identity.two_factor === "totp";
  const changed = await changeCredentials({
    identity,
    type: "password_reset",
    notice: loses ? "password_reset_without_app" : "password_reset",
    device,
    keep: null,
    where: asSeen(identity),
    update: updateOf(identity, await newPasswordHash(identity, password, leaked)),
    alongside: async (collections, session) => {
      if (!(await useMailedToken(mailed, collections, session))) throw invalidToken();
      await confirmMailbox(identity, device, collections, session);
      const organizations = organizationsOf(identity);
      if (loses) await audit({ type: "totp_disabled", user_id: identity._id, organizations, device }, session);
    },
  });
  // The identity has changed since it was looked at: its email was confirmed, say, or the token was taken from it.
  if (!changed) await resetPassword(token, password, device, leaked);
};
