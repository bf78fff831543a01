import * as z from "zod";
import { id, timestamp } from "./common.ts";
import { mailAddress } from "./email-address.ts";
import { messageStatus } from "./message-status.ts";
import { messageLimits } from "./messages.ts";

export const emailLimits = {
  /** Files of one email, and the bytes of all of them. Vendors take 25 to 40 MB, with a third more for base64. */
  files: 20,
  fileBytes: 18 * 1024 * 1024,
  /** Characters of the inline files of one request, which has 1 MiB. */
  inline: 1024 * 1024,
  /** How far `send_at` may be ahead. */
  aheadMs: 366 * 86_400_000,
} as const;

/** RFC 5322 §2.1.1: a line has at most 998 characters. */
const LONGEST_LINE = 998;

const NO_CONTROLS = "Line breaks and other control characters are not allowed.";

const line = (max: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(max)
    .regex(/^[^\p{Cc}\p{Zl}\p{Zp}]*$/u, NO_CONTROLS);

const addresses = z.array(mailAddress).max(messageLimits.recipients);
const content = z.string().max(messageLimits.content);

/** No folder, and nothing that shows another name than the file has. */
const filename = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .regex(/^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}/\\:*?"<>|]+$/u, "Expected the name of a file, without a folder.");

const attachment = z.strictObject({
  filename,
  type: z
    .string()
    .max(127)
    .regex(/^[\w.+-]+\/[\w.+-]+$/, "Expected a media type such as application/pdf.")
    .transform((type) => type.toLowerCase()),
  content: z.base64().min(1).max(emailLimits.inline).describe("The file in base64."),
  disposition: z.enum(["attachment", "inline"]).default("attachment"),
  content_id: z
    .string()
    .regex(/^[\w.@+-]{1,100}$/, "Expected letters, digits and ._@+-")
    .optional()
    .describe("For `cid:` in the HTML, with the disposition `inline`."),
});

const enabled = z.strictObject({ enable: z.boolean() });

const mailSettings = z
  .strictObject({
    sandbox_mode: enabled.optional().describe("Record the message and do not send it."),
    footer: z
      .strictObject({
        enable: z.boolean(),
        text: z.string().max(10_000).optional(),
        html: z.string().max(10_000).optional(),
      })
      .optional()
      .describe("Is added at the end of the content."),
  })
  .describe("As in SendGrid's API. Suppression is the platform's and cannot be bypassed.");

const trackingSettings = z
  .strictObject({
    click_tracking: z.strictObject({ enable: z.boolean(), enable_text: z.boolean().optional() }).optional(),
    open_tracking: enabled.optional(),
  })
  .describe("As in SendGrid's API. Other vendors track nothing.");

const asmSettings = z
  .strictObject({ group_id: z.int().positive() })
  .describe(
    "As in SendGrid's API: any group makes the category `list`. The unsubscribe list is the organization's own.",
  );

const relatedTo = z
  .strictObject({
    object: z.string().min(1).max(80).optional(),
    schema: z.string().min(1).max(80).optional().describe("The same as `object`, as in records."),
    id,
  })
  .refine(({ object, schema }) => (object === undefined) !== (schema === undefined), "Name the object, once.")
  .transform(({ object, schema, id: record }) => ({ object: object ?? schema ?? "", id: record }));

/** For routes, functions and automations. */
export const sendEmailRequest = z
  .strictObject({
    to_emails: addresses.min(1).describe("The recipients."),
    from_email: mailAddress
      .optional()
      .describe("The sender; by default the address of the caller. Its domain must be verified for mail that leaves."),
    from_name: line(200).optional(),
    cc: addresses.optional(),
    bcc: addresses.optional(),
    reply_to: mailAddress.optional(),
    subject: line(LONGEST_LINE).optional().describe("Takes the place of the template's."),
    plain_text_content: content.optional().describe("By default it is made from the HTML."),
    html_content: content.optional(),
    template_id: id.optional().describe("A `template` record of the kind `email`. It gives subject and content."),
    merge_data: z.record(z.string(), z.unknown()).optional().describe("The values of the template's variables."),
    file_attachments: z.array(id).max(emailLimits.files).optional().describe("Ids of `document` records."),
    attachments: z.array(attachment).max(emailLimits.files).optional(),
    mail_settings: mailSettings.optional(),
    tracking_settings: trackingSettings.optional(),
    asm_settings: asmSettings.optional(),
    send_at: z.iso
      .datetime({ offset: true })
      .optional()
      .describe("When to send it, at most a year ahead: ISO 8601 with a zone. A moment in the past is now."),
    related_to: relatedTo.optional().describe("A record that the message is about."),
    category: z
      .enum(["transactional", "list"])
      .optional()
      .describe(
        "`list`: one message for each recipient, each with an own link to unsubscribe. By default `transactional`.",
      ),
  })
  .refine(
    (mail) => Boolean(mail.subject || mail.plain_text_content || mail.html_content || mail.template_id),
    "A subject, some content or a template is required.",
  )
  .refine(
    ({ template_id, html_content, plain_text_content }) =>
      template_id === undefined || (html_content === undefined && plain_text_content === undefined),
    { path: ["template_id"], error: "Give a template or the content, not both." },
  )
  .refine(({ template_id, merge_data }) => template_id !== undefined || merge_data === undefined, {
    path: ["merge_data"],
    error: "There is no template that it belongs to.",
  })
  .refine(({ category, asm_settings }) => category !== "transactional" || asm_settings === undefined, {
    path: ["asm_settings"],
    error: "Unsubscribe groups belong to the category `list`.",
  })
  .refine(({ category, asm_settings, cc, bcc }) => {
    const isList = category === "list" || asm_settings !== undefined;
    return !isList || ((cc ?? []).length === 0 && (bcc ?? []).length === 0);
  }, "A message to a list has no cc and bcc: each recipient gets one of their own.")
  .meta({
    id: "SendEmailRequest",
    examples: [{ to_emails: ["ada@example.com"], subject: "Your order", plain_text_content: "It is on its way." }],
  });

export type SendEmailRequest = z.output<typeof sendEmailRequest>;

export const sentEmail = z
  .object({
    id: z.string().describe("Of the message; of several messages to a list their `batch_id`, the id of the first."),
    status: messageStatus,
    send_at: timestamp.optional().describe("Of a scheduled message."),
    recipients: z.array(
      z.object({
        email: z.string(),
        status: messageStatus,
        reason: z.string().optional().describe("Why nothing is sent to this one."),
        id: z.string().optional().describe("Of this recipient's own message, for a list."),
      }),
    ),
  })
  .meta({ id: "SentEmail" });

export type SentEmail = z.output<typeof sentEmail>;

/** An email as the search shows it. Fields that the caller may not read are null. */
export const foundEmail = z
  .object({
    id: z.string(),
    direction: z.string().nullable(),
    from_email: z.string().nullable(),
    to_email: z.string().nullable().describe("The first recipient."),
    subject: z.string().nullable(),
    status: z.string().nullable(),
    created_date: timestamp.nullable(),
    last_event_time: timestamp.nullable(),
    opens: z.number().nullable(),
    clicks: z.number().nullable(),
  })
  .meta({ id: "FoundEmailMessage" });
