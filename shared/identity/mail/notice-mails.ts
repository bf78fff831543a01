import type { MailMessage } from "#shared/platform-mail/platform-mail";
import type { Device } from "../sessions/device.ts";
import { originOf } from "./mails.ts";

const ASK_FOR_NEW =
  "Ask for a new password at once, as if you had forgotten yours: to set it ends every session of your account.";

const TELL = "Then tell an administrator of your organization.";

/** The notices: what happened, and what to do if it was somebody else. */
const NOTICES = {
  password_changed: {
    subject: "Your password was changed",
    happened: ["The password of your account was changed.", "Wherever else you were signed in, you no longer are."],
    otherwise: ["Somebody knows the password that you had, and is signed in as you.", ASK_FOR_NEW, TELL],
  },
  password_reset: {
    subject: "A new password was set",
    happened: [
      "A new password was set for your account, with a token that had been mailed to this address.",
      "Wherever you were signed in, you no longer are.",
    ],
    otherwise: ["Somebody reads your mail. Secure your mailbox first.", ASK_FOR_NEW, TELL],
  },
  password_reset_without_app: {
    subject: "A new password was set, and the authenticator app turned off",
    happened: [
      "A new password was set for your account, with a token that had been mailed to this address.",
      "Wherever you were signed in, you no longer are.",
      "The authenticator app and its recovery codes count no longer: this address had not been confirmed before, " +
        "so they",
      "might have been somebody else's.",
    ],
    otherwise: ["Somebody reads your mail. Secure your mailbox first.", ASK_FOR_NEW, TELL],
  },
  totp_enabled: {
    subject: "An authenticator app was turned on",
    happened: [
      "From now on, signing in to your account takes a code of an authenticator app.",
      "Wherever else you were signed in, you no longer are.",
    ],
    otherwise: ["Somebody knows your password, and the app is theirs.", ASK_FOR_NEW, TELL],
  },
  totp_disabled: {
    subject: "The authenticator app was turned off",
    happened: [
      "Signing in to your account no longer takes a code of your authenticator app.",
      "Wherever else you were signed in, you no longer are.",
    ],
    otherwise: [
      "Somebody knows your password and had a code of your app or a recovery code.",
      ASK_FOR_NEW,
      "Set up an authenticator app again.",
      TELL,
    ],
  },
  recovery_code_used: {
    subject: "A recovery code was used to sign in",
    happened: [
      "Someone signed in to your account with a recovery code in place of a code of the authenticator app.",
      "That recovery code does not work again.",
    ],
    otherwise: [
      "Somebody knows your password and your recovery codes.",
      ASK_FOR_NEW,
      "Turn your authenticator app off and set it up again: that makes new recovery codes.",
      TELL,
    ],
  },
  wrong_codes: {
    subject: "Wrong codes at signing in to your account",
    happened: [
      "Someone gave the right password of your account, and then wrong codes, five or more within an hour.",
      "You are told of this once a day at most.",
    ],
    otherwise: [
      "Somebody knows your password. Those codes did not let them in, but another one might: change your password now.",
      TELL,
    ],
  },
} as const satisfies Record<
  string,
  { readonly subject: string; readonly happened: readonly string[]; readonly otherwise: readonly string[] }
>;

export type Notice = keyof typeof NOTICES;

const moment = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeStyle: "medium", timeZone: "UTC" });

/** Without links and secrets, so that a mail with either of them is recognized as a forgery. */
export const noticeMail = (
  to: string,
  notice: Notice,
  { at, device }: { readonly at: Date; readonly device: Device },
): MailMessage => {
  const { subject, happened, otherwise } = NOTICES[notice];
  const text = [
    ...happened,
    "",
    `Account: ${to}`,
    `When: ${moment.format(at)} UTC`,
    `From: ${originOf(device)}`,
    "",
    "If this was you, there is nothing to do.",
    "",
    "If this was not you:",
    ...otherwise,
    "",
    "This mail has no link, on purpose. Nobody from us will ever ask you for a password or a code.",
    "",
  ];
  return { to, subject, text: text.join("\n") };
};
