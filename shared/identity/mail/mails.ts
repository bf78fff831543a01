import { env } from "#shared/foundation/env";
import type { MailMessage } from "#shared/platform-mail/platform-mail";
import type { Device } from "../sessions/device.ts";
import { clientName } from "./client-name.ts";

/** Address and client of a request, for mails. */
export const originOf = ({ address, user_agent }: Device): string => {
  const client = clientName(user_agent);
  return client === undefined ? address : `${address} (${client})`;
};

export const signInCodeMail = (to: string, code: string, device: Device): MailMessage => ({
  to,
  subject: "Your sign-in code",
  text: [
    `Your code is ${code}`,
    "",
    "It is valid for 10 minutes and works once. Nobody from us will ever ask you for it.",
    "",
    `Someone who knows your password asked for it from ${originOf(device)}.`,
    "If that was not you, change your password.",
    "",
  ].join("\n"),
});

interface Link {
  readonly page: "confirm-email" | "reset-password";
  readonly token: string;
  /** What the page is for. */
  readonly before: string;
  /** How long it works, and how programs use the token without the page. */
  readonly use: string;
  /** Who asked for it, and what to do if it was somebody else. */
  readonly after: readonly string[];
}

/** The text of a mail with a link. The token also stands alone, for programs. */
export const linkText = ({ page, token, before, use, after }: Link): string =>
  [
    before,
    "",
    `${env.issuer()}/v1/sign-in/${page}?token=${encodeURIComponent(token)}`,
    "",
    use,
    "",
    `Your token is ${token}`,
    "",
    ...after,
    "",
  ].join("\n");

/** Without names of persons and organizations, which a stranger who registers with this email could choose. */
export const emailConfirmationMail = (to: string, token: string, device: Device): MailMessage => {
  const before = "An account has been made with this address. If it is yours, confirm it on this page:";
  const use =
    "It is valid for 3 days and works once. Programs send the token, with the password, to POST " +
    "/v1/auth/email/confirm:";
  const after = [
    `Someone asked for it from ${originOf(device)}.`,
    "If that was not you, there is nothing to do: it cannot be confirmed without the password. You can make the " +
      "account",
    "yours by asking for a new password as if you had forgotten it. That signs them out for good.",
  ];
  const text = linkText({ page: "confirm-email", token, before, use, after });
  return { to, subject: "Confirm your email", text };
};

export const passwordResetMail = (to: string, token: string, device: Device): MailMessage => {
  const before = "To set a new password for your account, open this page:";
  const use = "It is valid for 30 minutes and works once. Programs send the token to POST /v1/reset-password instead:";
  const after = [
    `Someone asked for it from ${originOf(device)}.`,
    "If that was not you, there is nothing to do: without this mail nobody can use it.",
  ];
  const text = linkText({ page: "reset-password", token, before, use, after });
  return { to, subject: "Set a new password", text };
};
