/** The messages of the platform itself, which belong to no organization. */
import * as z from "zod";
import { id } from "./common.ts";
import { defineMessage } from "./queue.ts";

export const platformMailMessage = defineMessage({
  queue: "platform-mail",
  summary: "Sends a mail of the platform itself: a code, a link or a notice.",
  scope: "platform",
  payload: z.object({ mail: id.describe("Of the platform_mail. Its contents are sealed, and never in a message.") }),
});

export const passwordResetMessage = defineMessage({
  queue: "password-reset",
  summary: "Makes a link that sets a new password for somebody who has forgotten theirs, and queues its mail.",
  scope: "platform",
  payload: z.object({
    email: z.string().describe("As it was entered. There may be no account with it."),
    device: z.object({ address: z.string(), user_agent: z.string() }),
  }),
});

/** What a mail of the platform is about. */
export const platformMailKinds = [
  "sign_in_code",
  "email_confirmation",
  "password_reset",
  "invitation",
  "notice",
  "owners_notice",
] as const;

/**
 * Nobody can tell whether an `unknown` one was sent: the function ended between the call of SES and its record. A
 * person decides whether it is sent again.
 */
export const platformMailStatuses = ["queued", "sending", "sent", "failed", "unknown"] as const;
