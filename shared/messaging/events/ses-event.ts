import * as z from "zod";
import { addressOf, detailOf, type VendorEvent } from "./vendor-event.ts";

const text = z.string().max(2_000).optional().catch(undefined);
const at = z.iso.datetime({ offset: true });
const recipients = z
  .array(z.looseObject({ emailAddress: z.string(), diagnosticCode: text }))
  .max(100)
  .default([]);

/** https://docs.aws.amazon.com/ses/latest/dg/event-publishing-retrieving-sns-contents.html */
const sesEvent = z.object({
  eventType: z.string().max(60),
  mail: z.object({
    timestamp: at,
    messageId: z.string().min(1).max(300),
    destination: z.array(z.string()).max(100).default([]),
    tags: z.record(z.string(), z.array(z.string())).default({}),
  }),
  bounce: z
    .object({ bounceType: z.string(), bounceSubType: text, bouncedRecipients: recipients, timestamp: at })
    .optional(),
  complaint: z.object({ complainedRecipients: recipients, complaintFeedbackType: text, timestamp: at }).optional(),
  delivery: z.object({ recipients: z.array(z.string()).max(100), smtpResponse: text, timestamp: at }).optional(),
  deliveryDelay: z.object({ delayedRecipients: recipients, delayType: text, timestamp: at }).optional(),
  reject: z.object({ reason: text }).optional(),
});

type Told = Pick<VendorEvent, "type"> & {
  readonly timestamp: string;
  readonly to: readonly { readonly email: string; readonly reason?: string | undefined }[];
  readonly permanent?: boolean;
};

const eachOf = (all: z.output<typeof recipients>, otherwise?: string) =>
  all.map(({ emailAddress, diagnosticCode }) => ({ email: emailAddress, reason: diagnosticCode ?? otherwise }));

const toldBy = (event: z.output<typeof sesEvent>): Told | undefined => {
  const { eventType, mail, bounce, complaint, delivery, deliveryDelay: delay, reject } = event;
  const { timestamp, destination } = mail;
  const everybody = destination.map((email) => ({ email, reason: reject?.reason }));
  if (eventType === "Send") return { type: "sent", timestamp, to: everybody };
  // SES has found a virus, and sends the mail to nobody.
  if (eventType === "Reject") return { type: "dropped", timestamp, to: everybody };
  if (eventType === "Bounce" && bounce !== undefined) {
    const { bounceType, bounceSubType, bouncedRecipients } = bounce;
    const to = eachOf(bouncedRecipients, bounceSubType);
    return { type: "bounced", timestamp: bounce.timestamp, to, permanent: bounceType === "Permanent" };
  }
  if (eventType === "Complaint" && complaint !== undefined) {
    const to = eachOf(complaint.complainedRecipients, complaint.complaintFeedbackType);
    return { type: "complained", timestamp: complaint.timestamp, to };
  }
  if (eventType === "Delivery" && delivery !== undefined) {
    const to = delivery.recipients.map((email) => ({ email, reason: delivery.smtpResponse }));
    return { type: "delivered", timestamp: delivery.timestamp, to };
  }
  if (eventType === "DeliveryDelay" && delay !== undefined) {
    return { type: "deferred", timestamp: delay.timestamp, to: eachOf(delay.delayedRecipients, delay.delayType) };
  }
  return undefined;
};

/** What SES says of each recipient; nothing for what is no event that we know. */
export const fromSes = (value: unknown): VendorEvent[] => {
  const { success, data } = sesEvent.safeParse(value);
  const told = success ? toldBy(data) : undefined;
  if (!success || told === undefined) return [];
  const { messageId, tags } = data.mail;
  const { type, timestamp, permanent } = told;
  return told.to.map(({ email, reason }) => ({
    // SES gives its events no id.
    event_id: `${messageId}/${type}/${timestamp}/${addressOf(email)}`.slice(0, 600),
    type,
    at: new Date(timestamp),
    message: tags.tenantry_id?.[0],
    organization: tags.tenantry_organization?.[0],
    vendor_message_id: messageId,
    email: addressOf(email),
    detail: detailOf(reason),
    ...(permanent !== undefined && { permanent }),
  }));
};
