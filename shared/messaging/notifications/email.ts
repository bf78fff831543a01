import type { NotificationContent } from "#contracts/notification-messages";
import { Fault } from "#shared/foundation/faults";
import { LONGEST_NAME, type TenantDatabase } from "#shared/tenant/tenant";
import { acceptedStatus, type NewMessage } from "../delivery/accept.ts";
import { claimsOf, holderOf } from "../domains/domain-entry.ts";
import { suppressionsOf } from "../suppression/suppression.ts";

/** The sender at a domain of the organization, which holds it at this moment. Undefined if there is none. */
const senderOf = async ({ organization_id }: TenantDatabase): Promise<string | undefined> => {
  for (const { domain, verified_date } of await claimsOf(organization_id)) {
    const isProven = verified_date !== undefined && (await holderOf(domain)) === organization_id;
    if (isProven) return `notifications@${domain}`;
  }
  return undefined;
};

/**
 * The email of a notification. It is sent from a domain that the organization has proven. Raises
 * `vendor_not_configured` and `sender_not_verified`.
 */
export const notificationEmail = async (
  database: TenantDatabase,
  to: string,
  { title, body, html, url }: NotificationContent,
): Promise<NewMessage> => {
  const [accepted, sender, suppressed] = await Promise.all([
    acceptedStatus(database, "email_message"),
    senderOf(database),
    suppressionsOf(database, [to], "transactional"),
  ]);
  if (accepted !== "captured" && sender === undefined) throw new Fault("sender_not_verified");
  const reason = suppressed.get(to);
  const status = reason === undefined ? accepted : "suppressed";
  const fields = {
    name: title.slice(0, LONGEST_NAME),
    subject: title,
    ...(sender !== undefined && { from_email: sender }),
    to_email: to,
    to: [to],
    recipients: [{ email: to, kind: "to", status, ...(reason !== undefined && { reason }) }],
    ...(html !== undefined && { body: html }),
    text: [body, ...(url === undefined ? [] : [url])].filter((part) => part !== "").join("\n\n") || title,
    direction: "outbound",
    category: "transactional",
  };
  return { fields, status, ...(reason !== undefined && { detail: reason }) };
};
