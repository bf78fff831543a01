import * as z from "zod";
import { id } from "./common.ts";
import { defineContract } from "./contract.ts";
import { sendEmailRequest, sentEmail } from "./email-bodies.ts";
import { messageStatus } from "./message-status.ts";

const shared = { area: "email-services", method: "POST" } as const;

const messageId = z.object({ message_id: id.describe("The id of an `email_message` record.") });

export const sendEmail = defineContract({
  ...shared,
  operation: "sendEmail",
  path: "/v1/email-services/emailvendor/send",
  access: "user",
  summary: "Send an email",
  description:
    "Records the message and answers; the vendor gets it afterwards, and `events` of the record tell what became of it. " +
    "An administrator may address 1,000 recipients, others 100. Addresses that are suppressed are told and get nothing. " +
    "In a sandbox, and where the platform has no vendor and captures, nothing leaves: the status is then `captured`, and " +
    "any sender is allowed. Otherwise the domain of `from_email` must be verified.",
  request: { body: sendEmailRequest },
  replies: { 200: { description: "It is accepted.", body: sentEmail } },
  faults: ["forbidden", "sender_not_verified", "vendor_not_configured", "dependency_unavailable"],
  idempotent: true,
});

const changed = z.object({ id: z.string(), status: messageStatus }).meta({ id: "ChangedMessage" });

export const cancelEmailMessage = defineContract({
  ...shared,
  operation: "cancelEmailMessage",
  path: "/v1/email-services/emailvendor/messages/{message_id}/cancel",
  access: "user",
  summary: "Cancel an email that is not sent yet",
  description: "Whoever sent it, and administrators, cancel a message that is `scheduled` or `queued`.",
  request: { path: messageId },
  replies: { 200: { description: "It will not be sent.", body: changed } },
  faults: ["forbidden", "message_not_found", "message_not_changeable"],
});

export const resendEmailMessage = defineContract({
  ...shared,
  operation: "resendEmailMessage",
  path: "/v1/email-services/emailvendor/messages/{message_id}/resend",
  access: "admin",
  summary: "Send an email again that failed or whose outcome nobody knows",
  description:
    "For messages that are `failed` or `unknown`. After `unknown` the recipients may get it twice, so that a person decides.",
  request: { path: messageId },
  replies: { 200: { description: "It is queued.", body: changed } },
  faults: ["message_not_found", "message_not_changeable"],
});
