import * as z from "zod";
import { id } from "./common.ts";
import { email } from "./identity-bodies.ts";

export const messageLimits = {
  /** Of one email, over `to_emails`, `cc` and `bcc`; of administrators and of others. */
  recipients: 1_000,
  recipientsOfOthers: 100,
  /** Characters of one part of an email. */
  content: 512 * 1024,
  sms: 1_600,
  /** Notifications of one call, and the users whom they tell. */
  notifications: 500,
  notifiedUsers: 1_000,
} as const;

const line = (max: number) =>
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

const dynamicNotification = z.strictObject({
  title: line(200),
  body: z.string().trim().max(10_000).default(""),
  type: line(60).default("dynamic"),
  user_id: id.optional().describe("Whom to tell; by default the executing user."),
  role_id: id.optional().describe("Tells all active users with this role."),
  data: z.record(z.string(), z.unknown()).default({}),
  record_id: id.optional().describe("The record that it is about."),
  save: z.boolean().default(true).describe("Whether it stays in the list of notifications."),
  notify: z.boolean().default(true),
  push_to_mobile: z.boolean().default(false),
});

export const notifyRequest = z
  .union([dynamicNotification, z.array(dynamicNotification).min(1).max(messageLimits.notifications)])
  .transform((one) => (Array.isArray(one) ? one : [one]));

const scalar = z.union([z.string().max(1_000), z.number(), z.boolean()]);
const filterKey = z.string().regex(/^[A-Za-z0-9_]{1,64}$/, "Expected a name of letters, digits and underscores.");

const keyAndValue = z.strictObject({ key: filterKey, value: scalar }).transform(({ key, value }) => ({ [key]: value }));
const byKeys = z
  .record(filterKey, scalar)
  .refine((keys) => Object.keys(keys).length >= 1 && Object.keys(keys).length <= 20, "Expected 1 to 20 keys.");
const byFilter = z.union([keyAndValue, byKeys]);

/** Ids of notifications, or what their `data` and `record_id` have to be: all keys of one of the filters. */
export const markReadRequest = z.union([
  z
    .array(id)
    .min(1)
    .max(1_000)
    .transform((ids) => ({ ids })),
  z
    .array(byFilter)
    .min(1)
    .max(100)
    .transform((filters) => ({ filters })),
  byFilter.transform((filter) => ({ filters: [filter] })),
]);

export type SendEmailRequest = z.output<typeof sendEmailRequest>;
export type SendSmsRequest = z.output<typeof sendSmsRequest>;
export type NotifyRequest = z.output<typeof notifyRequest>;
export type MarkReadRequest = z.output<typeof markReadRequest>;
