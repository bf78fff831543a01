import type { ClientSession } from "mongodb";
import { now } from "#shared/foundation/clock";
import { Fault } from "#shared/foundation/faults";
import { log } from "#shared/foundation/log";
import { type Base, base, type Caller, ensureBaseIndexes, type Identity } from "#shared/tenant/tenant";
import { audit, organizationsOf } from "../audit.ts";
import { demandPassword, identityOf } from "../credentials/reauthentication.ts";
import type { Device } from "../sessions/device.ts";
import { demandMailed, findMailedToken, mailToken, prepareMailedToken, useMailedToken } from "./mailed-tokens.ts";
import { emailConfirmationMail } from "./mails.ts";

/**
 * Records that the person reads the mailbox, in the transaction of the step that has shown it. Confirmation links that
 * are still valid are deleted. Does nothing if the email was confirmed before.
 */
export const confirmMailbox = async (
  identity: Identity,
  device: Device,
  { users, mailedTokens }: Base,
  session: ClientSession,
): Promise<void> => {
  const { _id, email } = identity;
  const confirmed = { $set: { email_confirmed: true, modified_date: now() } };
  const { matchedCount } = await users.updateOne({ _id, email, email_confirmed: { $ne: true } }, confirmed, {
    session,
  });
  if (matchedCount === 0) return;
  await mailedTokens.deleteMany({ user_id: _id, purpose: "email_confirmation" }, { session });
  await audit({ type: "email_confirmed", user_id: _id, organizations: organizationsOf(identity), device }, session);
};

const mailConfirmation = async (identity: Identity, device: Device): Promise<void> => {
  await ensureBaseIndexes();
  const collections = await base();
  const prepared = await prepareMailedToken("email_confirmation", (token) =>
    emailConfirmationMail(identity.email, token, device),
  );
  const made = await collections.transaction(async (session) => {
    const asked = await collections.users.updateOne(
      { _id: identity._id, is_active: true, email_confirmed: { $ne: true } },
      { $set: { email_confirmation_asked_at: now() } },
      { session },
    );
    if (asked.matchedCount !== 1) throw new Fault("email_confirmed");
    return mailToken(identity, prepared, collections, session);
  });
  demandMailed(made);
};

/**
 * Mails the caller another link that confirms their email.
 * Raises `email_confirmed`, `too_many_attempts` and `dependency_unavailable`.
 */
export const askEmailConfirmation = async (caller: Caller, device: Device): Promise<void> =>
  mailConfirmation(await identityOf(caller), device);

/** The same after a registration. It never raises, because the registration is complete without the mail. */
export const greetWithConfirmation = async (identity: Identity, device: Device): Promise<void> => {
  try {
    await mailConfirmation(identity, device);
  } catch (error) {
    const err = error instanceof Fault ? (error.cause ?? error) : error;
    log.error({ err, user: identity._id }, "the mail that confirms an email could not be sent");
  }
};

const invalidToken = (): Fault => new Fault("invalid_confirmation_token");

/**
 * Confirms an email with the mailed token, once, and with the account's password. Without the password a stranger who
 * has registered with somebody's email would only need that person to click the link. Raises
 * `invalid_confirmation_token`, and `wrong_password` and `too_many_attempts`, which leave the token valid.
 */
export const confirmEmail = async (token: string, password: string, device: Device): Promise<void> => {
  const found = await findMailedToken(token, "email_confirmation");
  if (found === null) throw invalidToken();
  await demandPassword(found.identity, password, device);
  const collections = await base();
  await collections.transaction(async (session) => {
    if (!(await useMailedToken(found.mailed, collections, session))) throw invalidToken();
    await confirmMailbox(found.identity, device, collections, session);
  });
};
