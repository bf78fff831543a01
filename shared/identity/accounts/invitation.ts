import { now } from "#shared/foundation/clock";
import { env } from "#shared/foundation/env";
import type { MailMessage } from "#shared/platform-mail/platform-mail";
import { base, type Identity } from "#shared/tenant/tenant";
import { demandMailed, mailToken, prepareMailedToken } from "../mail/mailed-tokens.ts";
import { linkText } from "../mail/mails.ts";

/** Without the name of the organization, because its owner has chosen that text. */
const invitationMail = (to: string, token: string): MailMessage => {
  const before = `An account has been made for you on ${env.issuer()}. To choose a password for it, open this page:`;
  const use = "It is valid for 3 days and works once. Programs send the token to POST /v1/reset-password instead:";
  const after = ["If you expect no such account, there is nothing to do: without this mail nobody can use it."];
  return { to, subject: "Your new account", text: linkText({ page: "reset-password", token, before, use, after }) };
};

/**
 * Mails a new person a link to set their first password. Using it also confirms their email.
 * Raises `too_many_attempts` while three such links are valid, and `dependency_unavailable`.
 */
export const invite = async (identity: Identity): Promise<void> => {
  const collections = await base();
  const prepared = await prepareMailedToken("invitation", (token) => invitationMail(identity.email, token));
  const made = await collections.transaction(async (session) => {
    // Every invitation writes the identity, so concurrent ones are counted one after the other.
    await collections.users.updateOne({ _id: identity._id }, { $set: { invited_at: now() } }, { session });
    return mailToken(identity, prepared, collections, session);
  });
  demandMailed(made);
};
