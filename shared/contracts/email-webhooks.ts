import * as z from "zod";
import { id, timestamp } from "./common.ts";
import { defineContract } from "./contract.ts";

/** Lambda takes 6 MB, in base64. */
const LARGEST_WEBHOOK = 4_400_000;

const status = z.enum(["queued", "processed", "failed"]);

const receivedWebhook = z
  .object({
    id: id.describe("Of the webhook. The same for a repetition by the vendor with the same `webhook-id`."),
    received_at: timestamp,
    kind: z.enum(["events", "mail"]).describe("Events of sent messages, or a received mail."),
    signature: z
      .enum(["sendgrid", "standard", "ses"])
      .describe("The signature that was verified. `ses`: events of the platform's account at SES, which need none."),
    content_type: z.string(),
    size: z.int().describe("In bytes."),
    status: status.describe("`failed`: its body could not be read; the platform's operators are told."),
    error: z.string().nullable(),
    result: z
      .object({
        events: z.int().optional().describe("Events that the body has."),
        applied: z.int().optional().describe("Events of messages of this organization."),
        unknown: z.int().optional().describe("Events of no message of this organization."),
        ignored: z.int().optional().describe("Entries that are no event of a known kind."),
        email_message: id.optional().describe("The record of a received mail; absent if the mail was known."),
      })
      .nullable(),
  })
  .meta({ id: "ReceivedWebhook" });

export const receiveWebhook = defineContract({
  operation: "receiveWebhook",
  area: "email-services",
  method: "POST",
  path: "/v1/email-services/emailvendor/webhook/{organization_id}",
  access: "signature",
  summary: "Receive events and mail from an email vendor",
  description:
    "For email vendors. The body is signed with a key of the organization's credential of kind `emailvendor`, else of the " +
    "platform's account, within the last five minutes: by SendGrid (`X-Twilio-Email-Event-Webhook-Signature` and " +
    "`-Timestamp`, ECDSA with P-256) or as in Standard Webhooks (`webhook-id`, `webhook-timestamp`, `webhook-signature`, " +
    "HMAC-SHA-256). It is stored and queued before the answer. JSON is an event or an array of events; " +
    "`multipart/form-data` is a mail of SendGrid's Inbound Parse, raw or parsed; `message/rfc822` is a mail.",
  request: {
    path: z.object({ organization_id: id.describe("The id of the organization.") }),
    headers: z.object({
      "x-twilio-email-event-webhook-signature": z.string().optional().describe("SendGrid's signature, in base64."),
      "x-twilio-email-event-webhook-timestamp": z.string().optional().describe("In seconds since the epoch."),
      "webhook-id": z.string().optional().describe("Names the webhook. A repetition has the same."),
      "webhook-timestamp": z.string().optional().describe("In seconds since the epoch."),
      "webhook-signature": z.string().optional().describe("`v1,<base64>`; several are separated by blanks."),
    }),
    rawBody: {
      "application/json": "An event or an array of events: SendGrid's, or `{type, timestamp, data}`.",
      "multipart/form-data": "A mail of SendGrid's Inbound Parse.",
      "message/rfc822": "A mail.",
    },
    maxBodyBytes: LARGEST_WEBHOOK,
  },
  replies: { 202: { description: "The body is stored and queued, or was before." } },
  faults: [
    "invalid_signature",
    "organization_not_found",
    "too_many_webhooks",
    "dependency_unavailable",
    "database_unavailable",
  ],
});

export const listWebhooks = defineContract({
  operation: "listWebhooks",
  area: "email-services",
  method: "GET",
  path: "/v1/email-services/emailvendor/webhooks",
  access: "admin",
  summary: "List what email vendors have sent",
  description:
    "The webhooks of the last 30 days, without their bodies: newest first, or with `since` oldest first from that time on.",
  request: {
    query: z.object({
      since: z.iso.datetime({ offset: true }).optional().describe("Only what was received then or later."),
      limit: z.coerce.number().int().min(1).max(200).default(50).describe("The most webhooks of a page."),
      cursor: z.string().max(300).optional().describe("`next_cursor` of the page before."),
    }),
  },
  replies: {
    200: {
      description: "A page.",
      body: z.object({
        webhooks: z.array(receivedWebhook),
        next_cursor: z.string().optional().describe("Absent on the last page, but for `since`: new ones follow it."),
      }),
    },
  },
  faults: [],
});

export type ReceivedWebhook = z.output<typeof receivedWebhook>;
