import type { Actor } from "#contracts/actor";
import type { MessageObject } from "#contracts/message-delivery";
import type { MessageStatus } from "#contracts/message-status";
import { oneLine } from "#shared/foundation/one-line";
import type { InlineFile } from "../compose/attachments.ts";

/** Who works on a message. After `until` they have certainly ended. */
interface Lease {
  readonly id: string;
  readonly until: Date;
}

/** The state of the delivery. Stored in the record as `_delivery` and shown to nobody. */
export interface DeliveryState {
  /** Calls of the vendor. */
  readonly attempts: number;
  /** When the job sweep-messages looks at it: for the next attempt, at the end of a lease, after a lost schedule. */
  readonly next_attempt_at?: Date;
  readonly first_attempt_at?: Date;
  /** Of one that was sent: when its vendor is asked what became of it. */
  readonly poll_at?: Date;
  readonly lease?: Lease;
  /** Whose account sends it. */
  readonly source?: "own" | "platform";
  /** The name of the vendor that was called last. */
  readonly vendor?: string;
  /** 1 at first. Goes up when a person lets it be sent again. */
  readonly revision: number;
}

/** A recipient of an email. Without a status of their own, the message's tells. */
export interface StoredRecipient {
  readonly email: string;
  readonly status?: MessageStatus;
  /** Why they do not get it. */
  readonly reason?: string;
}

/** What the delivery of an email needs. Stored in the record as `_email` and shown to nobody. */
export interface EmailExtras {
  readonly tracking?: { readonly opens?: boolean; readonly clicks?: boolean };
  /** The message of a list that has the content of all. */
  readonly content_of?: string;
  /** The secret of the recipient's link to unsubscribe. */
  readonly unsubscribe?: string;
  readonly files?: readonly InlineFile[];
}

/** A message as it is stored, as far as its delivery needs it. */
export interface StoredMessage {
  readonly _id: string;
  readonly status: MessageStatus;
  readonly error?: string;
  readonly events?: MessageEvent[];
  readonly last_event_time?: Date;
  readonly modified_date?: Date;
  readonly sent_date?: Date;
  readonly send_at?: Date;
  /** A user, or the platform itself. */
  readonly created_by?: { readonly id: string; readonly schema: string };
  readonly vendor?: string;
  readonly vendor_message_id?: string;
  /** Of a push message to a browser that has a token of FCM. */
  readonly transport?: "fcm";
  /** Whoever has chosen `send_at`. */
  readonly _actor?: Actor;
  readonly _delivery?: DeliveryState;
  /** Of emails. */
  readonly from_email?: unknown;
  readonly from_name?: unknown;
  readonly to?: unknown;
  readonly cc?: unknown;
  readonly bcc?: unknown;
  readonly reply_to?: unknown;
  readonly recipients?: readonly StoredRecipient[];
  readonly subject?: unknown;
  readonly body?: unknown;
  readonly text?: unknown;
  readonly category?: unknown;
  readonly attachments?: unknown;
  readonly message_id?: unknown;
  readonly in_reply_to?: unknown;
  readonly references?: unknown;
  readonly _email?: EmailExtras;
  /** Of text messages. */
  readonly message?: unknown;
  /** Of push messages. */
  readonly user?: { readonly id: string };
  readonly device_id?: unknown;
  readonly platform?: unknown;
  readonly title?: unknown;
  readonly data?: unknown;
}

/** What decides on the vendor of a push message: `fcm` for a browser that has a token of FCM, else the platform. */
export const platformOf = ({ transport, platform }: Pick<StoredMessage, "transport" | "platform">): unknown =>
  transport ?? platform;

export interface MessageEvent {
  readonly type: string;
  readonly at: Date;
  readonly detail?: string;
}

/** A message whose events were sent to us a thousand times is not to outgrow a document. */
const MOST_EVENTS = 200;

/** Longest text of a vendor that is kept. */
const LONGEST_REASON = 500;

/** What a vendor says, fit for a record: one line of printable characters. */
export const reasonOf = (text: string): string => oneLine(text, LONGEST_REASON) || "No reason was given.";

export const eventOf = (type: string, at: Date, detail?: string): MessageEvent => ({
  type,
  at,
  ...(detail !== undefined && { detail }),
});

/** The changes of an update that gives a message a status, with its event. */
export const statusChange = (status: MessageStatus, at: Date, detail?: string) => ({
  set: { status, last_event_time: at, modified_date: at },
  push: { events: { $each: [eventOf(status, at, detail)], $slice: -MOST_EVENTS } },
});

export interface MessageKey {
  readonly object: MessageObject;
  readonly id: string;
}
