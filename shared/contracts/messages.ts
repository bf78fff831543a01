import * as z from "zod";
import { email } from "./identity-bodies.ts";

export const messageLimits = {
  /** Of one email, over `to_emails`, `cc` and `bcc`; of administrators and of others. */
  recipients: 1_000,
  recipientsOfOthers: 100,
  /** Characters of one part of an email. */
  content: 512 * 1024,
  sms: 1_600,
} as const;

export const line = (max: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(max)
    .regex(/^\P{Cc}*$/u, "Line breaks and other control characters are not allowed.");

const addresses = z.array(email).max(messageLimits.recipients);

/** RFC 5322 §2.1.1: a line has at most 998 characters. */
const subject = line(998);

export const sendEmailRequest = z
  .strictObject({
    to_emails: addresses.min(1).describe("The recipients."),
    from_email: email.optional().describe("The sender; by default the address of the executing user."),
    cc: addresses.optional(),
    bcc: addresses.optional(),
    reply_to: email.optional(),
    subject: subject.optional(),
    plain_text_content: z.string().max(messageLimits.content).optional(),
    html_content: z.string().max(messageLimits.content).optional(),
  })
  .refine(
    ({ subject, plain_text_content, html_content }) => Boolean(subject || plain_text_content || html_content),
    "A subject or some content is required.",
  )
  .meta({ id: "FunctionEmailRequest" });

export const sendSmsRequest = z.strictObject({
  to: z.string().min(1).max(60).describe("A telephone number with its country code."),
  message: z.string().trim().min(1).max(messageLimits.sms),
});

export type SendEmailRequest = z.output<typeof sendEmailRequest>;
export type SendSmsRequest = z.output<typeof sendSmsRequest>;
