import type { MailMessage } from "../messaging/messaging.ts";
import type { Device } from "./device.ts";

/** Where something was asked from. Control characters cannot be in a header, but line breaks in a mail deceive. */
const originOf = ({ address, user_agent = "" }: Device): string => {
  const client = user_agent.replaceAll(/[^\x20-\x7e]/g, "").slice(0, 120);
  return client === "" ? address : `${address} (${client})`;
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

export const passwordResetMail = (to: string, token: string, device: Device): MailMessage => ({
  to,
  subject: "Set a new password",
  text: [
    `Your token is ${token}`,
    "",
    "It sets a new password for your account (POST /v1/reset-password). It is valid for 30 minutes and works once.",
    "",
    `Someone asked for it from ${originOf(device)}.`,
    "If that was not you, there is nothing to do: without this mail nobody can use it.",
    "",
  ].join("\n"),
});
