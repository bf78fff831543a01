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

/** Every answer is given after this time. A cold start that sends a mail takes less. */
const ANSWER_MS = 2_000;

/** The time left for the answer after a mail was aborted. */
const MARGIN_MS = 100;

/** A new token for the identity, or null while three are valid. */
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
 * Mails a token that sets a new password. Result and duration are the same for every email: the mail service has the
 * rest of `ANSWER_MS`, and a mail that it has not accepted by then is aborted. The mail cannot be sent after the
 * answer, because Lambda stops the function then. (Only a database that needs longer than `ANSWER_MS` makes a
 * difference visible.)
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

/** Limited by slots. Raises `too_many_attempts` at once if none is free, before the account is looked up. */
export const askPasswordReset = (email: string, device: Device): Promise<void> =>
  withResetSlot(device.address, () => askInTime(email, device));

const invalidToken = (): Fault => new Fault("invalid_reset_token");

/** With an unconfirmed email, a stranger may have registered the account and set up its authenticator app. */
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
 * Sets a new password with a mailed token, once, and ends every session of the person. It also confirms the email. If
 * the email was confirmed before, the second factor stays. Otherwise the authenticator app is removed with its recovery
 * codes. Raises `invalid_reset_token` and `validation_failed`, which leaves the token as it is.
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
  // The identity has changed since it was read, for example because its email was confirmed meanwhile.
  if (!changed) await resetPassword(token, password, device, leaked);
};
