import type { Document } from "mongodb";
import { v7 as uuidv7 } from "uuid";
import { now } from "#shared/foundation/clock";
import { env } from "#shared/foundation/env";
import { LONGEST_NAME, newRecord, PLATFORM, type TenantDatabase } from "#shared/tenant/tenant";
import { type MailMessage, queuePlatformMails } from "./queue.ts";

const capturedMail = ({ to, subject, text }: MailMessage, at: Date) => {
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
  return newRecord(uuidv7(), fields, { by: PLATFORM, at });
};

/**
 * Queues mails to the owners of an organization. Those of a sandbox are stored as `email_message` records, and never
 * sent. Raises `dependency_unavailable`.
 */
export const mailOwners = async (
  database: Pick<TenantDatabase, "collection" | "is_sandbox" | "organization_id">,
  mails: readonly MailMessage[],
): Promise<void> => {
  const { is_sandbox, organization_id: group } = database;
  if (!is_sandbox) return queuePlatformMails(mails.map((mail) => ({ ...mail, kind: "owners_notice", group })));
  const at = now();
  const records = mails.map((mail) => capturedMail(mail, at));
  if (records.length === 0) return;
  await database.collection<Document & { _id: string }>("email_message").insertMany(records);
};
