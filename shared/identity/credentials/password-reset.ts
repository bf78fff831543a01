import type { ClientSession, Document, Filter } from "mongodb";
import { passwordResetMessage } from "#contracts/platform-messages";
import { now } from "#shared/foundation/clock";
import { Fault } from "#shared/foundation/faults";
import { networkOf } from "#shared/foundation/network";
import { addToBaseOutbox, base, ensureBaseIndexes, type Identity, messageFor, type Once } from "#shared/tenant/tenant";
import { audit, organizationsOf } from "../audit.ts";
import { confirmMailbox } from "../mail/email-confirmation.ts";
import { findMailedToken, mailToken, prepareMailedToken, useMailedToken } from "../mail/mailed-tokens.ts";
import { passwordResetMail } from "../mail/mails.ts";
import { type Device, storedDevice } from "../sessions/device.ts";
import { attemptKey } from "../sign-in/address.ts";
import { changeCredentials } from "./credential-change.ts";
import { newPasswordHash } from "./password-change.ts";
import type { LeakedPasswords } from "./password-policy.ts";
import { takeResetSlot } from "./reset-slots.ts";

/**
 * Accepts a request for a new password. The same entry is written for every email, and no account is looked up, so that
 * result and duration do not tell whether there is one: the queue password-reset does the rest (`mailPasswordReset`).
 * Raises `too_many_attempts` for too many requests at a time, for every email.
 */
export const askPasswordReset = async (email: string, device: Device): Promise<void> => {
  await ensureBaseIndexes();
  await takeResetSlot(device.address);
  const { transaction } = await base();
  const group = attemptKey("reset", networkOf(device.address));
  const message = messageFor(passwordResetMessage, { email, device: storedDevice(device) }, group);
  await transaction((session) => addToBaseOutbox(session, [message]));
};

/**
 * Mails a token that sets a new password, once for a request (`once`), if there is an account with the email and fewer
 * than three tokens of it are valid. Raises `dependency_unavailable`.
 */
export const mailPasswordReset = async (email: string, device: Device, once: Once): Promise<void> => {
  const collections = await base();
  const identity = await collections.users.findOne({ email, is_active: true });
  if (identity === null) return;
  const { _id } = identity;
  const prepare = async () => {
    const prepared = await prepareMailedToken("password_reset", (token) => passwordResetMail(email, token, device));
    return async (session: ClientSession) => {
      await collections.users.updateOne({ _id }, { $set: { password_reset_asked_at: now() } }, { session });
      if ((await mailToken(identity, prepared, collections, session)) === "mailed") {
        const organizations = organizationsOf(identity);
        await audit({ type: "password_reset_asked", user_id: _id, organizations, device }, session);
      }
      return { ids: [], value: undefined };
    };
  };
  await once.write(prepare, async () => undefined);
};

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
