import { messageLimits, type SendEmailRequest } from "#contracts/messages";
import { refuseIfAny } from "#shared/foundation/faults";
import type { Tenant } from "#shared/tenant/tenant";
import { LONGEST_NAME, type StoreMessages } from "./capture.ts";
import { type AcceptedStatus, acceptedStatus, acceptMessages } from "./delivery/accept.ts";

interface SentEmail {
  readonly id: string;
  readonly status: AcceptedStatus;
  readonly recipients: readonly { readonly email: string; readonly status: AcceptedStatus }[];
}

/**
 * Accepts an email of the caller. `store`: stores its record, in a transaction of its own by default. Raises
 * `validation_failed` and `vendor_not_configured`.
 */
export const sendEmail = async (
  tenant: Tenant,
  request: SendEmailRequest,
  store?: StoreMessages,
): Promise<SentEmail> => {
  const { to_emails: to, cc = [], bcc = [], from_email, reply_to, subject = "" } = request;
  const recipients = [...new Set([...to, ...cc, ...bcc])];
  const most = tenant.caller.is_admin ? messageLimits.recipients : messageLimits.recipientsOfOthers;
  if (recipients.length > most) {
    const msg = `An email of yours may have ${most} recipients, not ${recipients.length}.`;
    refuseIfAny([{ loc: ["body", "to_emails"], msg, type: "too_many_recipients" }]);
  }
  const fields = {
    name: (subject || "(no subject)").slice(0, LONGEST_NAME),
    ...(subject !== "" && { subject }),
    from_email: from_email ?? tenant.caller.email,
    to_email: to[0],
    to,
    ...(cc.length > 0 && { cc }),
    ...(bcc.length > 0 && { bcc }),
    ...(reply_to !== undefined && { reply_to }),
    ...(request.html_content !== undefined && { body: request.html_content }),
    ...(request.plain_text_content !== undefined && { text: request.plain_text_content }),
    direction: "outbound",
  };
  const status = await acceptedStatus(tenant, "email_message");
  const [id = ""] = await acceptMessages(tenant, "email_message", [{ fields, status }], store);
  return { id, status, recipients: recipients.map((email) => ({ email, status })) };
};
