import type { Document } from "mongodb";
import type { RecordReference, TenantDatabase } from "#shared/tenant/tenant";
import type { Delivery, ParsedMail } from "./parsed-mail.ts";
import { repliedMessage } from "./reply-token.ts";

interface StoredMail extends Document {
  readonly _id: string;
  readonly direction?: string;
  readonly message_id?: string;
  readonly thread_id?: string;
  readonly related_to?: RecordReference | null;
  readonly owner?: RecordReference | null;
}

/** What a mail belongs to. */
export interface Links {
  /** The id of the first message of its thread; undefined for a mail that begins one. */
  readonly thread_id: string | undefined;
  readonly related_to: RecordReference | undefined;
  readonly owner: RecordReference | undefined;
  /** Whether it is one of our own messages that comes back. */
  readonly isOwn: boolean;
}

const PROJECTION = { direction: 1, message_id: 1, thread_id: 1, related_to: 1, owner: 1 } as const;

/** The message that a mail answers: by its signed address, else by its headers, the nearest one first. */
const answeredMail = async (
  database: TenantDatabase,
  mail: ParsedMail,
  addresses: readonly string[],
): Promise<StoredMail | undefined> => {
  const mails = database.collection<StoredMail>("email_message");
  const replied = await repliedMessage(database, addresses);
  if (replied !== undefined) {
    const found = await mails.findOne({ _id: replied }, { projection: PROJECTION });
    if (found !== null) return found;
  }
  const ids = [...(mail.in_reply_to === undefined ? [] : [mail.in_reply_to]), ...mail.references.toReversed()];
  if (ids.length === 0) return undefined;
  const found = await mails
    .find({ message_id: { $in: ids } }, { projection: PROJECTION, limit: 2 * ids.length })
    .toArray();
  const place = ({ message_id = "" }: StoredMail): number => ids.indexOf(message_id);
  return found.sort((a, b) => place(a) - place(b) || (a._id < b._id ? -1 : 1))[0];
};

interface Person extends Document {
  readonly _id: string;
  readonly name?: string;
  readonly owner?: RecordReference | null;
}

/** The contact, else the lead, with an address. Of several the one that was created last. */
const personWith = async (
  { collection }: TenantDatabase,
  email: string,
): Promise<{ readonly person: Person; readonly schema: string } | undefined> => {
  for (const schema of ["contact", "lead"]) {
    const person = await collection<Person>(schema).findOne(
      { email },
      { projection: { name: 1, owner: 1 }, sort: { _id: -1 } },
    );
    if (person !== null) return { person, schema };
  }
  return undefined;
};

/** Finds what a mail belongs to. Nothing that its sender says is trusted for more than this. */
export const linksOf = async (database: TenantDatabase, mail: ParsedMail, delivery: Delivery): Promise<Links> => {
  const addresses = [
    ...delivery.envelope_to,
    ...mail.to.map(({ email }) => email),
    ...mail.cc.map(({ email }) => email),
  ];
  const mails = database.collection<StoredMail>("email_message");
  const [answered, known, own] = await Promise.all([
    answeredMail(database, mail, addresses),
    mail.from === undefined ? undefined : personWith(database, mail.from.email),
    mail.message_id === undefined
      ? null
      : mails.findOne({ message_id: mail.message_id, direction: { $ne: "inbound" } }, { projection: { _id: 1 } }),
  ]);
  const person =
    known === undefined
      ? undefined
      : { id: known.person._id, schema: known.schema, name: String(known.person.name ?? "") };
  return {
    thread_id: answered === undefined ? undefined : (answered.thread_id ?? answered._id),
    related_to: person ?? answered?.related_to ?? undefined,
    owner: answered?.owner ?? known?.person.owner ?? undefined,
    isOwn: own !== null,
  };
};
