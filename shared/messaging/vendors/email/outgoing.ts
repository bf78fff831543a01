import type { TenantDatabase } from "#shared/tenant/tenant";
import type { StoredMessage } from "../../delivery/record.ts";
import type { OutgoingEmail, VendorAttachment } from "../vendor.ts";

const textOf = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined);

const listOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === "string") : [];

/** Recipients that the message is not sent to, although it names them. */
const suppressed = ({ recipients }: StoredMessage): ReadonlySet<string> =>
  new Set(
    (Array.isArray(recipients) ? recipients : [])
      .filter((one) => one?.status === "suppressed")
      .map(({ email }) => String(email).toLowerCase()),
  );

/** What the routes add to an email for its vendor. Stored in the record as `_email` and shown to nobody. */
export interface EmailExtras {
  /** Further headers, such as `List-Unsubscribe`. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly tracking?: { readonly opens?: boolean; readonly clicks?: boolean };
  /** Parts of SendGrid's body: `mail_settings`, `asm`. */
  readonly vendor_settings?: Readonly<Record<string, unknown>>;
}

const attachmentsOf = async (_database: TenantDatabase, _message: StoredMessage): Promise<VendorAttachment[]> => [];

/** A stored email as its adapter gets it, with the contents of its attachments. */
export const outgoingEmail = async (database: TenantDatabase, message: StoredMessage): Promise<OutgoingEmail> => {
  const { headers = {}, tracking, vendor_settings }: EmailExtras = message._email ?? {};
  const without = suppressed(message);
  const addresses = (value: unknown) => listOf(value).filter((email) => !without.has(email.toLowerCase()));
  return {
    organization_id: database.organization_id,
    from: { email: String(message.from_email ?? ""), name: textOf(message.from_name) },
    to: addresses(message.to),
    cc: addresses(message.cc),
    bcc: addresses(message.bcc),
    reply_to: textOf(message.reply_to),
    subject: String(message.subject ?? ""),
    html: textOf(message.body),
    text: textOf(message.text),
    message_id: textOf(message.message_id),
    in_reply_to: textOf(message.in_reply_to),
    references: listOf(message.references),
    headers,
    attachments: await attachmentsOf(database, message),
    tracking,
    vendor_settings,
  };
};
