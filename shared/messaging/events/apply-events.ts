import type { AnyBulkWriteOperation, ClientSession, Document } from "mongodb";
import type { MessageStatus } from "#contracts/message-status";
import type { TenantDatabase } from "#shared/tenant/tenant";
import type { StoredRecipient } from "../delivery/record.ts";
import { mayFollow } from "../delivery/status.ts";
import { addSuppression } from "../suppression/suppression.ts";
import type { EventType, VendorEvent } from "./vendor-event.ts";

/** Of one transaction. */
const MESSAGES_AT_ONCE = 100;
/** Entries that a message keeps. Its openings and clicks are not counted beyond. */
const MOST_ENTRIES = 200;

interface Entry {
  readonly type: string;
  readonly at: Date;
  readonly detail?: string;
  readonly email?: string;
  readonly event_id?: string;
}

interface StoredMessage extends Document {
  readonly _id: string;
  readonly status: MessageStatus;
  readonly direction?: string;
  readonly vendor_message_id?: string;
  readonly name?: string;
  readonly events?: readonly Entry[];
  readonly recipients?: readonly StoredRecipient[];
  readonly last_event_time?: Date;
  readonly sent_date?: Date;
  readonly opens?: number;
  readonly clicks?: number;
}

/** What events say about the way of a message to a recipient. The others leave it as it is. */
const statusOf: Partial<Record<EventType, MessageStatus>> = {
  sent: "sent",
  delivered: "delivered",
  bounced: "bounced",
  dropped: "dropped",
};

const recipientsAfter = (
  recipients: readonly StoredRecipient[],
  { type, email, detail }: VendorEvent,
): StoredRecipient[] => {
  const status = statusOf[type];
  return recipients.map((recipient) => {
    if (status === undefined || recipient.email.toLowerCase() !== email) return recipient;
    if (!mayFollow(recipient.status ?? "queued", status)) return recipient;
    const reason = status === "bounced" || status === "dropped" ? detail : undefined;
    return { ...recipient, status, ...(reason !== undefined && { reason }) };
  });
};

const negative: ReadonlySet<MessageStatus | undefined> = new Set(["bounced", "dropped", "failed", "suppressed"]);

/**
 * The status of a message that an event asks for. With several recipients it is delivered as soon as one has it, and
 * bounced or dropped when nobody can get it any more.
 */
const wantedStatus = (event: VendorEvent, recipients: readonly StoredRecipient[]): MessageStatus | undefined => {
  const status = statusOf[event.type];
  if (status === undefined || !negative.has(status) || recipients.length <= 1) return status;
  return recipients.every((recipient) => negative.has(recipient.status)) ? status : undefined;
};

const sameMessage = ({ vendor_message_id: ours }: StoredMessage, { vendor_message_id: theirs }: VendorEvent): boolean =>
  ours === undefined || theirs === undefined || theirs === "" || ours === theirs;

/** The state of a message while events are added to it. */
interface Following {
  status: MessageStatus;
  recipients: readonly StoredRecipient[];
  opens: number;
  clicks: number;
  last_event_time: Date | undefined;
  sent_date: Date | undefined;
  readonly entries: Entry[];
}

/** Adds an event. False if it changes nothing, because the message has as many entries as it may. */
const follow = (message: Following, event: VendorEvent): boolean => {
  const recipients = recipientsAfter(message.recipients, event);
  const wanted = wantedStatus(event, recipients);
  const moves = wanted !== undefined && mayFollow(message.status, wanted);
  if (message.entries.length >= MOST_ENTRIES && !moves) return false;
  const { type, at, detail, email, event_id } = event;
  message.recipients = recipients;
  if (moves) message.status = wanted;
  if (type === "opened") message.opens += 1;
  if (type === "clicked") message.clicks += 1;
  const isSent = type === "sent" || type === "delivered";
  if (isSent && (message.sent_date === undefined || at < message.sent_date)) message.sent_date = at;
  if (message.last_event_time === undefined || at > message.last_event_time) message.last_event_time = at;
  const facts = { ...(detail !== undefined && { detail }), ...(email !== undefined && { email }) };
  message.entries.push({ type, at, ...facts, event_id });
  return true;
};

/** The fields of a message that the events change; undefined if none of them does. */
const changesOf = (message: StoredMessage, events: readonly VendorEvent[]): Document | undefined => {
  const { status, recipients = [], events: entries = [], opens = 0, clicks = 0, last_event_time, sent_date } = message;
  const following: Following = { status, recipients, opens, clicks, last_event_time, sent_date, entries: [...entries] };
  const inOrder = events.toSorted((a, b) => a.at.getTime() - b.at.getTime());
  if (!inOrder.map((event) => follow(following, event)).includes(true)) return undefined;
  const { entries: all, recipients: each, ...rest } = following;
  const known = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined));
  return { ...known, events: all, ...(message.recipients !== undefined && { recipients: each }) };
};

/** The events that are not in the message yet, each once. */
const newEvents = (message: StoredMessage, events: readonly VendorEvent[]): VendorEvent[] => {
  const known = new Set((message.events ?? []).map(({ event_id }) => event_id));
  return events.filter(({ event_id }) => {
    const isNew = !known.has(event_id);
    known.add(event_id);
    return isNew;
  });
};

const isRecipient = ({ recipients = [], to = [], cc = [], bcc = [] }: StoredMessage, email: string): boolean =>
  recipients.some((one) => one.email.toLowerCase() === email) ||
  [to, cc, bcc].some((list) => Array.isArray(list) && list.some((one) => String(one).toLowerCase() === email));

/** What an event says about its address: whether it gets no mail any more, or no mail of the category `list`. */
const suppressionBy = ({ type, permanent }: VendorEvent) => {
  if (type === "bounced" && permanent === true) return { scope: "all", reason: "bounce" } as const;
  if (type === "complained") return { scope: "all", reason: "complaint" } as const;
  return type === "unsubscribed" ? ({ scope: "list", reason: "unsubscribe" } as const) : undefined;
};

export interface Applied {
  /** Events of messages of this organization, also those that were known. */
  readonly applied: number;
  /** Events without such a message. */
  readonly unknown: number;
}

type Groups = ReadonlyMap<string, readonly VendorEvent[]>;

const messagesOf = async ({ collection }: TenantDatabase, ids: readonly string[], session?: ClientSession) =>
  collection<StoredMessage>("email_message")
    .find({ _id: { $in: [...ids] }, direction: { $ne: "inbound" } }, session === undefined ? {} : { session })
    .toArray();

/** Events that name no record: the vendor's id of the message leads to it. */
const withRecord = async ({ collection }: TenantDatabase, events: readonly VendorEvent[]): Promise<VendorEvent[]> => {
  const ids = [...new Set(events.flatMap(({ message, vendor_message_id: id }) => (message === undefined && id) || []))];
  if (ids.length === 0) return events.filter(({ message }) => message !== undefined);
  const found = await collection<StoredMessage>("email_message")
    .find({ vendor_message_id: { $in: ids } }, { projection: { vendor_message_id: 1 }, limit: ids.length })
    .toArray();
  const records = new Map(found.map(({ _id, vendor_message_id }) => [vendor_message_id, _id]));
  return events.flatMap((event) => {
    const message = event.message ?? records.get(event.vendor_message_id);
    return message === undefined ? [] : [{ ...event, message }];
  });
};

const applyTo = async (database: TenantDatabase, session: ClientSession, groups: Groups): Promise<number> => {
  const messages = await messagesOf(database, [...groups.keys()], session);
  const updates: AnyBulkWriteOperation<StoredMessage>[] = [];
  let applied = 0;
  for (const message of messages) {
    const events = (groups.get(message._id) ?? []).filter((event) => sameMessage(message, event));
    applied += events.length;
    const fresh = newEvents(message, events);
    const change = changesOf(message, fresh);
    if (change !== undefined) updates.push({ updateOne: { filter: { _id: message._id }, update: { $set: change } } });
    for (const event of fresh) {
      const { email, detail } = event;
      const suppression = suppressionBy(event);
      if (suppression === undefined || email === undefined || !isRecipient(message, email)) continue;
      const about = { id: message._id, name: message.name };
      await addSuppression(database, { email, ...suppression, detail, message: about }, session);
    }
  }
  if (updates.length > 0) await database.collection<StoredMessage>("email_message").bulkWrite(updates, { session });
  return applied;
};

/**
 * Writes what a vendor reports into the messages of this organization, each event once, in whatever order and however
 * often it comes. Events of other messages are counted and change nothing.
 */
export const applyEvents = async (database: TenantDatabase, events: readonly VendorEvent[]): Promise<Applied> => {
  const own = events.filter(
    ({ organization }) => (organization ?? database.organization_id) === database.organization_id,
  );
  const groups = Map.groupBy(await withRecord(database, own), ({ message = "" }) => message);
  const ids = [...groups.keys()];
  let applied = 0;
  for (let at = 0; at < ids.length; at += MESSAGES_AT_ONCE) {
    const part = new Map(ids.slice(at, at + MESSAGES_AT_ONCE).map((id) => [id, groups.get(id) ?? []]));
    applied += await database.transaction((session) => applyTo(database, session, part));
  }
  return { applied, unknown: events.length - applied };
};
