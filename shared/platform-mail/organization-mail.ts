import type { Document } from "mongodb";
import { v7 as uuidv7 } from "uuid";
import { now } from "#shared/foundation/clock";
import { env } from "#shared/foundation/env";
import { newRecord, type TenantDatabase } from "#shared/tenant/tenant";
import { type MailMessage, sendMail } from "./mail.ts";

/** Creator and owner of what the platform itself writes. */
const PLATFORM = { id: "platform", schema: "user", name: "Platform" };

/** Longest name of a record. */
const LONGEST_NAME = 200;

const capture = async (
  { collection }: Pick<TenantDatabase, "collection">,
  { to, subject, text }: MailMessage,
): Promise<void> => {
  const at = now();
  const event = { type: "captured", at, detail: "Messages from a sandbox are kept, and not sent." };
  const fields = {
    name: subject.slice(0, LONGEST_NAME),
    subject,
    from_email: env.mailSender(),
    to_email: to,
    to: [to],
    text,
    direction: "outbound",
    status: "captured",
    events: [event],
  };
  await collection<Document & { _id: string }>("email_message").insertOne(
    newRecord(uuidv7(), fields, { by: PLATFORM, at }),
  );
};

/**
 * Sends a mail on behalf of an organization. That of a sandbox is stored as an `email_message` record, and never sent.
 * Raises `dependency_unavailable`.
 */
export const sendOrganizationMail = (
  database: Pick<TenantDatabase, "collection" | "is_sandbox">,
  message: MailMessage,
): Promise<void> => (database.is_sandbox ? capture(database, message) : sendMail(message));
