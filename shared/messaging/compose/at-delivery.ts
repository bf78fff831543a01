import { env } from "#shared/foundation/env";
import { textOf } from "#shared/foundation/text-of";
import type { TenantDatabase } from "#shared/tenant/tenant";
import { messagesOf } from "../delivery/claim.ts";
import type { MessageKey, StoredMessage } from "../delivery/record.ts";
import { isVerifiedSender } from "../domains/domain-entry.ts";
import { type EmailCategory, suppressionsOf } from "../suppression/suppression.ts";
import { unsubscribeHeaders, withOwnLink } from "../suppression/unsubscribe-link.ts";
import type { InlineFile } from "./attachments.ts";
import { lostSender } from "./scheduled-sender.ts";

type Rechecked =
  | { readonly message: StoredMessage }
  | { readonly refused: { readonly status: "suppressed" | "failed"; readonly reason: string } };

/**
 * What may have changed since the message was accepted, perhaps a year ago: who gets mail, whose the sender's domain
 * is, and what whoever scheduled it may do. Newly suppressed recipients are noted in the record.
 */
export const recheckEmail = async (database: TenantDatabase, message: StoredMessage): Promise<Rechecked> => {
  const { from_email, recipients = [], category } = message;
  // Notifications come from the platform's own address, which `sendEmail` lets nobody use for mail that leaves.
  const isAllowed = from_email === env.mailSender() || (await isVerifiedSender(database, String(from_email ?? "")));
  if (!isAllowed) {
    return { refused: { status: "failed", reason: "The domain of the sender is not verified any more." } };
  }
  const lost = await lostSender(database, message);
  if (lost !== undefined) return { refused: { status: "failed", reason: lost } };
  const open = recipients.filter(({ status }) => status !== "suppressed").map(({ email }) => email);
  const kind: EmailCategory = category === "list" ? "list" : "transactional";
  const suppressed = await suppressionsOf(database, open, kind);
  if (recipients.length === 0 || (open.length > 0 && suppressed.size === 0)) return { message };
  const noted = recipients.map((one) => {
    const reason = suppressed.get(one.email);
    return reason === undefined ? one : { ...one, status: "suppressed" as const, reason };
  });
  const key: MessageKey = { object: "email_message", id: message._id };
  await messagesOf(database, key).updateOne({ _id: key.id, status: "queued" }, { $set: { recipients: noted } });
  if (noted.every(({ status }) => status === "suppressed")) {
    return { refused: { status: "suppressed", reason: "Nobody of its recipients gets mail." } };
  }
  return { message: { ...message, recipients: noted } };
};

/** The message that has the content: itself, or the first one of its list. */
const contentHolder = async (database: TenantDatabase, message: StoredMessage): Promise<StoredMessage> => {
  const content_of = message._email?.content_of;
  if (content_of === undefined) return message;
  return (await messagesOf(database, { object: "email_message" }).findOne({ _id: content_of })) ?? message;
};

export interface DeliveredContent {
  readonly html: string | undefined;
  readonly text: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly files: readonly InlineFile[];
}

/** Content and headers of one message, with its recipient's own link to unsubscribe. */
export const deliveredContent = async (database: TenantDatabase, message: StoredMessage): Promise<DeliveredContent> => {
  const holder = await contentHolder(database, message);
  const secret = message._email?.unsubscribe;
  const files = holder._email?.files ?? [];
  const [html, text] = [textOf(holder.body), textOf(holder.text)];
  if (secret === undefined) return { html, text, headers: {}, files };
  const token = { organization: database.organization_id, message: message._id, secret };
  return {
    html: html && withOwnLink(html, token),
    text: text && withOwnLink(text, token),
    headers: unsubscribeHeaders(token),
    files,
  };
};
