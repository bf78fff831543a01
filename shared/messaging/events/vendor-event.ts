import * as z from "zod";
import { oneLine } from "#shared/foundation/one-line";

/** What a vendor reports about a message. */
export interface VendorEvent {
  /** The vendor's id of the event: it may be reported more than once. */
  readonly event_id: string;
  readonly type: EventType;
  readonly at: Date;
  /** The record, as we have told the vendor. */
  readonly message: string | undefined;
  /** Whose message it is, as we have told the vendor. */
  readonly organization: string | undefined;
  /** The vendor's id of the message. */
  readonly vendor_message_id: string | undefined;
  /** The recipient, in lower case. */
  readonly email: string | undefined;
  readonly detail: string | undefined;
  /** Of a bounce: whether the address will never take mail. */
  readonly permanent?: boolean;
}

export const eventTypes = [
  "sent",
  "deferred",
  "delivered",
  "bounced",
  "dropped",
  "opened",
  "clicked",
  "complained",
  "unsubscribed",
] as const;

export type EventType = (typeof eventTypes)[number];

const LONGEST_DETAIL = 500;

/** A vendor's text, fit for a record: one line, without control characters. */
export const detailOf = (...texts: readonly unknown[]): string | undefined => {
  const text = texts.find((one): one is string => typeof one === "string" && one.trim() !== "");
  return text && oneLine(text.slice(0, 4 * LONGEST_DETAIL), LONGEST_DETAIL);
};

const text = z.string().max(2_000).optional().catch(undefined);
/** Long ago or far ahead is as wrong as no time. */
const seconds = z.coerce.number().min(946_684_800).max(4_102_444_800);

/**
 * An event of SendGrid. `custom_args` of the message are fields of its own.
 * https://www.twilio.com/docs/sendgrid/for-developers/tracking-events/event
 */
const sendgridEvent = z.object({
  event: z.string().max(60),
  sg_event_id: z.string().min(1).max(300),
  timestamp: seconds,
  email: text,
  sg_message_id: text,
  tenantry_id: text,
  tenantry_organization: text,
  type: text,
  reason: text,
  response: text,
  url: text,
});

const sendgridTypes: Readonly<Record<string, EventType>> = {
  processed: "sent",
  deferred: "deferred",
  delivered: "delivered",
  bounce: "bounced",
  dropped: "dropped",
  open: "opened",
  click: "clicked",
  spamreport: "complained",
  unsubscribe: "unsubscribed",
  group_unsubscribe: "unsubscribed",
};

/** The general form: Standard Webhooks' `{type, timestamp, data}`. */
const standardEvent = z.object({
  type: z.string().max(60),
  timestamp: z.iso.datetime({ offset: true }),
  data: z.object({
    event_id: text,
    message_id: text,
    vendor_message_id: text,
    email: text,
    reason: text,
    url: text,
    permanent: z.boolean().optional().catch(undefined),
  }),
});

export const addressOf = (email: string | undefined): string | undefined => email?.trim().toLowerCase().slice(0, 320);

/** Null for what is no event of SendGrid that we know. */
export const fromSendgrid = (value: unknown): VendorEvent | null => {
  const { success, data } = sendgridEvent.safeParse(value);
  const type = success && Object.hasOwn(sendgridTypes, data.event) ? sendgridTypes[data.event] : undefined;
  if (!success || type === undefined) return null;
  return {
    event_id: data.sg_event_id,
    type,
    at: new Date(data.timestamp * 1000),
    message: data.tenantry_id,
    organization: data.tenantry_organization,
    // The id of the answer to the send, and then what SendGrid's servers have added.
    vendor_message_id: data.sg_message_id?.split(".", 1)[0],
    email: addressOf(data.email),
    detail: detailOf(data.reason, data.response, data.url),
    ...(type === "bounced" && { permanent: data.type !== "blocked" }),
  };
};

/** Null for what is no event of the general form that we know. */
export const fromStandard = (value: unknown, fallbackId: string): VendorEvent | null => {
  const { success, data: event } = standardEvent.safeParse(value);
  const name = success ? event.type.replace(/^email\./, "") : "";
  const type = eventTypes.find((one) => one === name);
  if (!success || type === undefined) return null;
  const { data } = event;
  return {
    event_id: data.event_id ?? fallbackId,
    type,
    at: new Date(event.timestamp),
    message: data.message_id,
    organization: undefined,
    vendor_message_id: data.vendor_message_id,
    email: addressOf(data.email),
    detail: detailOf(data.reason, data.url),
    ...(type === "bounced" && { permanent: data.permanent ?? true }),
  };
};
