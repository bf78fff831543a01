import type { AnyBulkWriteOperation, ClientSession, Document } from "mongodb";
import { mayFollow, type MessageStatus, messageStatuses } from "../delivery/status.ts";
import type { TenantDatabase } from "#shared/tenant/tenant";
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

interface Recipient {
  readonly email: string;
  readonly status?: string;
  readonly reason?: string;
}

interface StoredMessage extends Document {
  readonly _id: string;
  readonly status: MessageStatus;
  readonly direction?: string;
  readonly vendor_message_id?: string;
  readonly events?: readonly Entry[];
  readonly recipients?: readonly Recipient[];
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

const isStatus = (text: string | undefined): text is MessageStatus =>
  messageStatuses.some((status) => status === text);

const recipientsAfter = (recipients: readonly Recipient[], { type, email, detail }: VendorEvent): Recipient[] => {
  const status = statusOf[type];
  return recipients.map((recipient) => {
    if (status === undefined || recipient.email.toLowerCase() !== email) return recipient;
    const before = isStatus(recipient.status) ? recipient.status : "queued";
    if (!mayFollow(before, status)) return recipient;
    const reason = status === "bounced" || status === "dropped" ? detail : undefined;
    return { ...recipient, status, ...(reason !== undefined && { reason }) };
  });
};

const negative: ReadonlySet<string | undefined> = new Set(["bounced", "dropped", "failed", "suppressed"]);

/**
 * The status of a message that an event asks for. With several recipients it is delivered as soon as one has it, and
 * bounced or dropped when nobody can get it any more.
 */
const wantedStatus = (event: VendorEvent, recipients: readonly Recipient[]): MessageStatus | undefined => {
  const status = statusOf[event.type];
  if (status === undefined || !negative.has(status) || recipients.length <= 1) return status;
  return recipients.every((recipient) => negative.has(recipient.status)) ? status : undefined;
};

const sameMessage = ({ vendor_message_id: ours }: StoredMessage, { vendor_message_id: theirs }: VendorEvent): boolean =>
  ours === undefined || theirs === undefined || theirs === "" || ours === theirs;

/** A message with the events that are not in it yet, in their order; undefined if nothing changes. */
const changesOf = (message: StoredMessage, events: readonly VendorEvent[]): Document | undefined => {
  const known = new Set((message.events ?? []).map(({ event_id }) => event_id));
  const entries: Entry[] = [...(message.events ?? [])];
  let { status, recipients = [], last_event_time, sent_date } = message;
  let [opens, clicks] = [message.opens ?? 0, message.clicks ?? 0];
  let changed = false;
  for (const event of events.toSorted((a, b) => a.at.getTime() - b.at.getTime())) {
    if (known.has(event.event_id)) continue;
    known.add(event.event_id);
    const isFull = entries.length >= MOST_ENTRIES;
    recipients = recipientsAfter(recipients, event);
    const wanted = wantedStatus(event, recipients);
    const moves = wanted !== undefined && mayFollow(status, wanted);
    if (isFull && !moves) continue;
    changed = true;
    if (moves) status = wanted;
    if (event.type === "opened") opens += 1;
    if (event.type === "clicked") clicks += 1;
    if (event.type === "sent" || event.type === "delivered") sent_date ??= event.at;
    if (last_event_time === undefined || event.at > last_event_time) last_event_time = event.at;
    const { type, at, detail, email, event_id } = event;
    entries.push({
      type,
      at,
      ...(detail !== undefined && { detail }),
      ...(email !== undefined && { email }),
      event_id,
    });
  }
  if (!changed) return undefined;
  return {
    status,
    events: entries,
    ...(message.recipients !== undefined && { recipients }),
    last_event_time,
    ...(sent_date !== undefined && { sent_date }),
    opens,
    clicks,
  };
};

/** Puts an address on the list of those that get no mail. */
export type Suppress = (
  database: TenantDatabase,
  session: ClientSession,
  suppression: {
    readonly email: string;
    readonly reason: "bounce" | "complaint" | "unsubscribe";
    readonly detail?: string;
    readonly message: string;
  },
) => Promise<unknown>;

const reasonFor = ({ type, permanent }: VendorEvent) => {
  if (type === "bounced" && permanent === true) return "bounce" as const;
  if (type === "complained") return "complaint" as const;
  return type === "unsubscribed" ? ("unsubscribe" as const) : undefined;
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

const applyTo = async (
  database: TenantDatabase,
  session: ClientSession,
  groups: Groups,
  suppress: Suppress,
): Promise<number> => {
  const messages = await messagesOf(database, [...groups.keys()], session);
  const updates: AnyBulkWriteOperation<StoredMessage>[] = [];
  let applied = 0;
  for (const message of messages) {
    const events = (groups.get(message._id) ?? []).filter((event) => sameMessage(message, event));
    applied += events.length;
    const change = changesOf(message, events);
    if (change === undefined) continue;
    updates.push({ updateOne: { filter: { _id: message._id }, update: { $set: change } } });
    const known = new Set((message.events ?? []).map(({ event_id }) => event_id));
    for (const event of events) {
      const { email, detail, event_id } = event;
      const reason = reasonFor(event);
      if (reason === undefined || email === undefined || known.has(event_id)) continue;
      known.add(event_id);
      await suppress(database, session, { email, reason, message: message._id, ...(detail !== undefined && { detail }) });
    }
  }
  if (updates.length > 0) await database.collection<StoredMessage>("email_message").bulkWrite(updates, { session });
  return applied;
};

/**
 * Writes what a vendor reports into the messages of this organization, each event once, in whatever order and however
 * often it comes. Events of other messages are counted and change nothing.
 */
export const applyEvents = async (
  database: TenantDatabase,
  events: readonly VendorEvent[],
  suppress: Suppress,
): Promise<Applied> => {
  const groups = Map.groupBy(await withRecord(database, events), ({ message = "" }) => message);
  const ids = [...groups.keys()];
  let applied = 0;
  for (let at = 0; at < ids.length; at += MESSAGES_AT_ONCE) {
    const part = new Map(ids.slice(at, at + MESSAGES_AT_ONCE).map((id) => [id, groups.get(id) ?? []]));
    applied += await database.transaction((session) => applyTo(database, session, part, suppress));
  }
  return { applied, unknown: events.length - applied };
};
