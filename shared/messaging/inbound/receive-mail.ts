import type { ClientSession, Document } from "mongodb";
import { v7 as uuidv7 } from "uuid";
import { now } from "#shared/foundation/clock";
import { isDuplicateKey } from "#shared/foundation/duplicate-key";
import { addToOutbox, newRecord, type TenantDatabase } from "#shared/tenant/tenant";
import { LONGEST_NAME } from "../capture.ts";
import { isAutomatic } from "./automatic.ts";
import { decideFiles } from "./files.ts";
import { type Links, linksOf, type Reference } from "./links.ts";
import { fingerprintOf, inboundMarks, isFlood, markOf } from "./loops.ts";
import { type ReceivedMail, readMail } from "./read-mail.ts";
import { responsibleFor } from "./responsible.ts";

/** Creator of what vendors bring. */
const PLATFORM: Reference = { id: "platform", schema: "user", name: "Platform" };

/** What records of a received mail set off. */
export type OnReceived = (
  database: TenantDatabase,
  record: Document & { readonly _id: string },
  userId: string,
) => Promise<Parameters<typeof addToOutbox>[2]>;

interface StoredFile {
  readonly document?: string;
  readonly filename: string;
  readonly type: string;
  readonly size: number;
  readonly disposition: string;
  readonly content_id?: string;
  readonly refused?: string;
}

export interface Incoming {
  readonly body: Buffer;
  readonly contentType: string;
  /** The transaction of the record does this too. */
  readonly alongside: (session: ClientSession, recordId: string) => Promise<void>;
  readonly onReceived: OnReceived;
}

const stored = async ({ mail }: ReceivedMail): Promise<StoredFile[]> => {
  const files: StoredFile[] = [];
  for (const { file, decision } of decideFiles(mail.attachments)) {
    const facts = {
      filename: decision.filename,
      size: file.content.length,
      disposition: file.disposition,
      ...(file.content_id !== undefined && { content_id: file.content_id }),
    };
    if (decision.refused !== undefined) files.push({ ...facts, type: file.type, refused: decision.refused });
    else files.push({ ...facts, type: decision.type });
  }
  return files;
};

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

const fieldsOf = ({ mail, delivery }: ReceivedMail, links: Links, id: string): Document => {
  const to = mail.to.length > 0 ? mail.to.map(({ email }) => email) : delivery.envelope_to;
  return {
    name: (mail.subject || "(no subject)").slice(0, LONGEST_NAME),
    subject: mail.subject,
    ...(mail.from !== undefined && { from_email: mail.from.email, from_name: mail.from.name }),
    ...(to[0] !== undefined && { to_email: to[0] }),
    to,
    ...(mail.cc.length > 0 && { cc: mail.cc.map(({ email }) => email) }),
    ...(mail.reply_to !== undefined && { reply_to: mail.reply_to.email }),
    ...(mail.text !== undefined && { text: mail.text }),
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

/**
 * Records a received mail as an `email_message`, once however often it is delivered, and sets off what records of this
 * object set off. Gives the id of the record, or null if the mail is known. Raises `unreadable_webhook`.
 */
export const receiveMail = async (database: TenantDatabase, incoming: Incoming): Promise<string | null> => {
  const received = await readMail(incoming.body, incoming.contentType);
  const { mail, delivery } = received;
  const fingerprint = fingerprintOf(mail);
  const known = await inboundMarks(database).findOne({ _id: fingerprint });
  if (known !== null) return null;
  const sender = mail.from?.email ?? delivery.envelope_from ?? "";
  const [links, isOurs, flood, responsible] = await Promise.all([
    linksOf(database, mail, delivery),
    sendsFrom(database, sender),
    isFlood(database, sender),
    responsibleFor(database),
  ]);
  const loop = loopOf(links, { isOurs, flood });
  const at = now();
  const id = uuidv7();
  const owner = links.owner ?? responsible ?? PLATFORM;
  const error = mail.refused ?? loop;
  const fields = {
    ...fieldsOf(received, links, id),
    attachments: await stored(received),
    events: [{ type: "received", at, ...(error !== undefined && { detail: error }) }],
    last_event_time: at,
    ...(error !== undefined && { error }),
  };
  const record = newRecord(id, fields, { by: PLATFORM, at, owner });
  const setsOff = loop === undefined && responsible !== undefined;
  const entries = setsOff ? await incoming.onReceived(database, record, responsible.id) : [];
  try {
    await database.transaction(async (session) => {
      await inboundMarks(database).insertOne(markOf(fingerprint, id), { session });
      await database.collection<typeof record>("email_message").insertOne(record, { session });
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
