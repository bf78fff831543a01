import type { ClientSession, Document } from "mongodb";
import { now } from "#shared/foundation/clock";
import { isDuplicateKey } from "#shared/foundation/duplicate-key";
import { addToOutbox, LONGEST_NAME, newRecord, PLATFORM, type TenantDatabase } from "#shared/tenant/tenant";
import { htmlToText, sanitizeHtml } from "../html/html.ts";
import { isAutomatic } from "./automatic.ts";
import { type Links, linksOf } from "./links.ts";
import { fingerprintOf, isFlood, recordIdOf } from "./loops.ts";
import { mailLimits } from "./mail-limits.ts";
import type { ParsedMail } from "./parsed-mail.ts";
import { type ReceivedMail, readMail } from "./read-mail.ts";
import { responsibleFor } from "./responsible.ts";
import { storeFiles } from "./store-files.ts";

/** What records of a received mail set off. */
export type OnReceived = (
  database: TenantDatabase,
  record: Document & { readonly _id: string },
  userId: string,
) => Promise<Parameters<typeof addToOutbox>[2]>;

export interface Incoming {
  readonly body: Buffer;
  readonly contentType: string;
  /** The transaction of the record does this too. */
  readonly alongside: (session: ClientSession, recordId: string) => Promise<void>;
  readonly onReceived: OnReceived;
}

/** Why a mail sets nothing off, although it is recorded. */
const loopOf = (links: Links, { isOurs, flood }: { readonly isOurs: boolean; readonly flood: boolean }) => {
  if (links.isOwn) return "It is a message of ours that has come back.";
  if (isOurs) return "Its sender is an address that this organization sends from.";
  return flood ? "Its sender has sent too many mails in this hour." : undefined;
};

/** Whether the organization itself sends from an address. */
const sendsFrom = async ({ collection }: TenantDatabase, email: string): Promise<boolean> => {
  const sent = { from_email: email, direction: { $ne: "inbound" } };
  return (await collection("email_message").findOne(sent, { projection: { _id: 1 } })) !== null;
};

const nameOf = ({ subject }: ParsedMail): string => (subject || "(no subject)").slice(0, LONGEST_NAME);

const fieldsOf = ({ mail, delivery }: ReceivedMail, links: Links, id: string): Document => {
  const to = mail.to.length > 0 ? mail.to.map(({ email }) => email) : delivery.envelope_to;
  return {
    name: nameOf(mail),
    subject: mail.subject,
    ...(mail.from !== undefined && { from_email: mail.from.email, from_name: mail.from.name }),
    ...(to[0] !== undefined && { to_email: to[0] }),
    to,
    ...(mail.cc.length > 0 && { cc: mail.cc.map(({ email }) => email) }),
    ...(mail.reply_to !== undefined && { reply_to: mail.reply_to.email }),
    direction: "inbound",
    status: "received",
    ...(mail.message_id !== undefined && { message_id: mail.message_id }),
    ...(mail.in_reply_to !== undefined && { in_reply_to: mail.in_reply_to }),
    references: mail.references,
    thread_id: links.thread_id ?? id,
    is_auto_reply: isAutomatic(mail, delivery),
    authentication: delivery.authentication,
    ...(links.related_to !== undefined && { related_to: links.related_to }),
  };
};

const CUT = `Its content was cut at ${mailLimits.content} characters.`;

interface StoredContent {
  readonly parts: { readonly text?: string; readonly body?: string };
  readonly isCut: boolean;
}

/** The text of the mail, or what its HTML says, and the HTML made safe. Both may be longer than what they are made of. */
const contentOf = async ({ mail: { text, html, isCut } }: ReceivedMail): Promise<StoredContent> => {
  if (html === undefined) return { parts: text === undefined ? {} : { text }, isCut };
  const safe = await sanitizeHtml(html, mailLimits.content);
  const read =
    text === undefined ? await htmlToText(html, { max_length: mailLimits.content }) : { text, truncated: false };
  return { parts: { text: read.text, body: safe.html }, isCut: isCut || safe.truncated || read.truncated };
};

/**
 * Records a received mail as an `email_message`, once however often it is delivered, and sets off what records of this
 * object set off. Gives the id of the record, or null if the mail is known. Raises `unreadable_webhook`.
 */
export const receiveMail = async (database: TenantDatabase, incoming: Incoming): Promise<string | null> => {
  const received = await readMail(incoming.body, incoming.contentType);
  const { mail, delivery } = received;
  const mails = database.collection<Document & { _id: string }>("email_message");
  const id = await recordIdOf(database, fingerprintOf(mail));
  if ((await mails.findOne({ _id: id }, { projection: { _id: 1 } })) !== null) return null;
  const sender = mail.from?.email ?? delivery.envelope_from ?? "";
  const [links, isOurs, flood, responsible] = await Promise.all([
    linksOf(database, mail, delivery),
    sendsFrom(database, sender),
    isFlood(database, sender),
    responsibleFor(database),
  ]);
  const loop = loopOf(links, { isOurs, flood });
  const { parts, isCut } = await contentOf(received);
  const error = mail.refused ?? loop ?? (isCut ? CUT : undefined);
  const at = now();
  const owner = links.owner ?? responsible ?? PLATFORM;
  const itself = { id, schema: "email_message", name: nameOf(mail) };
  const fields = {
    ...fieldsOf(received, links, id),
    ...parts,
    attachments: await storeFiles(database, mail.attachments, { record: itself, owner }),
    events: [{ type: "received", at, ...(error !== undefined && { detail: error }) }],
    last_event_time: at,
    ...(error !== undefined && { error }),
  };
  const record = newRecord(id, fields, { by: PLATFORM, at, owner });
  const setsOff = loop === undefined && responsible !== undefined;
  const entries = setsOff ? await incoming.onReceived(database, record, responsible.id) : [];
  try {
    await database.transaction(async (session) => {
      await mails.insertOne(record, { session });
      await addToOutbox(database, session, entries);
      await incoming.alongside(session, id);
    });
  } catch (error) {
    // The same mail at the same time.
    if (isDuplicateKey(error)) return null;
    throw error;
  }
  return id;
};
