import * as z from "zod";

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

export const sendSmsRequest = z.strictObject({
  to: z.string().min(1).max(60).describe("A telephone number with its country code."),
  message: z.string().trim().min(1).max(messageLimits.sms),
});

export type SendSmsRequest = z.output<typeof sendSmsRequest>;
