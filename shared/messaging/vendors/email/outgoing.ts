import { readStoredAttachment } from "#shared/documents/documents";
import { textOf } from "#shared/foundation/text-of";
import type { TenantDatabase } from "#shared/tenant/tenant";
import { deliveredContent } from "../../compose/at-delivery.ts";
import type { InlineFile } from "../../compose/attachments.ts";
import type { StoredMessage } from "../../delivery/record.ts";
import { replyToken } from "../../inbound/reply-token.ts";
import type { OutgoingEmail, VendorAttachment } from "../vendor.ts";

const listOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === "string") : [];

/** Recipients that the message is not sent to, although it names them. */
const suppressed = ({ recipients }: StoredMessage): ReadonlySet<string> =>
  new Set(recipients?.filter(({ status }) => status === "suppressed").map(({ email }) => email.toLowerCase()));

export class AttachmentGone extends Error {}

interface Listed {
  readonly document?: unknown;
  readonly filename?: unknown;
  readonly type?: unknown;
  readonly disposition?: unknown;
  readonly content_id?: unknown;
}

/** A file of a document, or one that came with the request. Null if the document is gone. */
const contentOf = async (
  database: TenantDatabase,
  { document }: Listed,
  inline: string | undefined,
): Promise<Uint8Array | null> => {
  if (inline !== undefined) return Buffer.from(inline, "base64");
  if (typeof document !== "string") return null;
  return (await readStoredAttachment(database, document))?.bytes ?? null;
};

/** Raises `AttachmentGone`: without its file the message would say something else. */
const attachmentsOf = async (
  database: TenantDatabase,
  { attachments }: StoredMessage,
  files: readonly InlineFile[],
): Promise<VendorAttachment[]> => {
  const listed: readonly Listed[] = Array.isArray(attachments) ? attachments : [];
  const found: VendorAttachment[] = [];
  for (const [index, one] of listed.entries()) {
    const { filename, type, disposition, content_id } = one;
    const content = await contentOf(database, one, files.find((file) => file.index === index)?.content);
    if (content === null) throw new AttachmentGone(`The file ${textOf(filename) ?? ""} is gone.`);
    found.push({
      filename: textOf(filename) ?? "file",
      type: textOf(type) ?? "application/octet-stream",
      content: Buffer.from(content),
      disposition: disposition === "inline" ? "inline" : "attachment",
      content_id: textOf(content_id),
    });
  }
  return found;
};

/** Where answers go: what the sender said, else the address by which inbound mail finds the message. */
const replyAddress = async (
  database: TenantDatabase,
  { _id, reply_to, category }: StoredMessage,
  inboundDomain: string | undefined,
): Promise<string | undefined> => {
  const given = textOf(reply_to);
  if (given !== undefined || inboundDomain === undefined || category === "list") return given;
  return `reply+${await replyToken(database, _id)}@${inboundDomain.toLowerCase()}`;
};

/** A stored email as its adapter gets it, with the contents of its attachments. */
export const outgoingEmail = async (
  database: TenantDatabase,
  message: StoredMessage,
  inboundDomain?: string,
): Promise<OutgoingEmail> => {
  const content = await deliveredContent(database, message);
  const without = suppressed(message);
  const addresses = (value: unknown) => listOf(value).filter((email) => !without.has(email.toLowerCase()));
  return {
    id: message._id,
    organization_id: database.organization_id,
    from: { email: String(message.from_email ?? ""), name: textOf(message.from_name) },
    to: addresses(message.to),
    cc: addresses(message.cc),
    bcc: addresses(message.bcc),
    reply_to: await replyAddress(database, message, inboundDomain),
    subject: String(message.subject ?? ""),
    html: content.html,
    text: content.text,
    message_id: textOf(message.message_id),
    in_reply_to: textOf(message.in_reply_to),
    references: listOf(message.references),
    headers: content.headers,
    attachments: await attachmentsOf(database, message, content.files),
    tracking: message._email?.tracking,
  };
};
