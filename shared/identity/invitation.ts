import { now, nowMillis } from "../clock.ts";
import { env } from "../env.ts";
import { Fault } from "../faults.ts";
import type { MailMessage } from "../messaging/messaging.ts";
import { base, type Identity } from "../tenant/tenant.ts";
import { mailToken, newMailedToken } from "./mailed-tokens.ts";
import { linkText } from "./mails.ts";

const LIFETIME_MS = 3 * 24 * 60 * 60_000;

/** No name of the organization: its owner has chosen that. */
const invitationMail = (to: string, token: string): MailMessage => {
  const before = `An account has been made for you on ${env.issuer()}. To choose a password for it, open this page:`;
  const use = "It is valid for 3 days and works once. Programs send the token to POST /v1/reset-password instead:";
  const after = ["If you expect no such account, there is nothing to do: without this mail nobody can use it."];
  return { to, subject: "Your new account", text: linkText({ page: "reset-password", token, before, use, after }) };
};

/**
 * Mails a person for whom an account was made a way to their first password, which shows too that the mailbox is theirs.
 * Raises `too_many_attempts` while three are on their way, and `dependency_unavailable`.
 */
export const invite = async (identity: Identity): Promise<void> => {
  const collections = await base();
  const made = await collections.transaction(async (session) => {
    await collections.users.updateOne({ _id: identity._id }, { $set: { password_reset_asked_at: now() } }, { session });
    return newMailedToken(identity, "password_reset", collections, session, LIFETIME_MS);
  });
  if (made.token === null) {
    const hours = Math.ceil((made.freeAt.getTime() - nowMillis()) / 3_600_000);
    throw new Fault("too_many_attempts", {
      message: `Three mails with a link that still works have been sent; the first of them expires in ${hours} hours.`,
    });
  }
  await mailToken(made.token, invitationMail(identity.email, made.token));
};
