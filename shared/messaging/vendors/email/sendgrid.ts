import * as z from "zod";
import { sendgridValue } from "#contracts/vendor-credentials";
import { retryAfter } from "#shared/foundation/outbound/retry-after";
import { answerOfStatus, callVendor, credentialValue, parsedAs } from "../call.ts";
import type { Account, Answer, OutgoingEmail, Vendor, VendorCall } from "../vendor.ts";

const ORIGIN = "https://api.sendgrid.com";

/** https://www.twilio.com/docs/sendgrid/api-reference/mail-send/limitations: 30 MB with its attachments. */
const MOST_BYTES = 30 * 1000 * 1000;

const addresses = (list: readonly string[]) => list.map((email) => ({ email }));

/**
 * Recipients as SendGrid wants them: one `to` at least, and no address twice. Blind copies alone become a message each,
 * so that they do not see each other.
 */
const personalizations = ({ id, to, cc, bcc, organization_id }: OutgoingEmail): object[] => {
  const custom_args = { tenantry_id: id, tenantry_organization: organization_id };
  const visible = to.length > 0 ? to : cc;
  const copies = to.length > 0 ? cc : [];
  if (visible.length === 0) return bcc.map((email) => ({ to: [{ email }], custom_args }));
  const seen = new Set<string>();
  const fresh = (list: readonly string[]) => list.filter((email) => !seen.has(email) && seen.add(email));
  const [first, second, third] = [fresh(visible), fresh(copies), fresh(bcc)];
  return [
    {
      to: addresses(first),
      ...(second.length > 0 && { cc: addresses(second) }),
      ...(third.length > 0 && { bcc: addresses(third) }),
      custom_args,
    },
  ];
};

const bracketed = (id: string): string => `<${id}>`;

const headersOf = ({ headers, message_id, in_reply_to, references }: OutgoingEmail): Record<string, string> => ({
  ...headers,
  ...(message_id !== undefined && { "Message-ID": bracketed(message_id) }),
  ...(in_reply_to !== undefined && { "In-Reply-To": bracketed(in_reply_to) }),
  ...(references.length > 0 && { References: references.map(bracketed).join(" ") }),
});

/** https://www.twilio.com/docs/sendgrid/api-reference/mail-send/mail-send */
const bodyOf = (email: OutgoingEmail): object => {
  const { from, reply_to, subject, text, html, attachments, tracking } = email;
  const parts = [
    ...(text !== undefined || html === undefined ? [{ type: "text/plain", value: text || " " }] : []),
    ...(html !== undefined ? [{ type: "text/html", value: html }] : []),
  ];
  return {
    personalizations: personalizations(email),
    from: { email: from.email, ...(from.name !== undefined && { name: from.name }) },
    ...(reply_to !== undefined && { reply_to: { email: reply_to } }),
    subject: subject || "(no subject)",
    content: parts,
    headers: headersOf(email),
    ...(attachments.length > 0 && {
      attachments: attachments.map(({ filename, type, content, disposition, content_id }) => ({
        filename,
        type,
        content: content.toString("base64"),
        disposition,
        ...(content_id !== undefined && { content_id }),
      })),
    }),
    ...(tracking !== undefined && {
      tracking_settings: {
        ...(tracking.clicks !== undefined && { click_tracking: { enable: tracking.clicks } }),
        ...(tracking.opens !== undefined && { open_tracking: { enable: tracking.opens } }),
      },
    }),
  };
};

const problems = z.object({ errors: z.array(z.object({ message: z.string(), field: z.string().nullish() })) });

const reasonIn = (text: string): string => {
  const found = parsedAs(problems, text);
  if (found === undefined) return text.slice(0, 300);
  return found.errors.map(({ message, field }) => (field ? `${field}: ${message}` : message)).join(" ");
};

/** SendGrid's v3 API. It has no idempotency key, and cannot be asked for a message without a paid addition. */
export const sendgrid = ({ value, base_url = ORIGIN }: Account): Vendor<OutgoingEmail> => {
  const { api_key } = credentialValue(sendgridValue, value, "sendgrid");

  const send = async (email: OutgoingEmail, { within }: VendorCall): Promise<Answer> => {
    const called = await callVendor({
      origin: new URL(base_url).origin,
      path: "/v3/mail/send",
      method: "POST",
      ownHeaders: { authorization: `Bearer ${api_key}`, "content-type": "application/json" },
      body: Buffer.from(JSON.stringify(bodyOf(email))),
      within,
      mostBytes: MOST_BYTES,
      secrets: [api_key],
    });
    if ("answer" in called) return called.answer;
    const { status, headers, text } = called.reply;
    if (status >= 200 && status < 300) {
      const given = headers["x-message-id"];
      return { outcome: "accepted", ...(given !== undefined && { vendor_message_id: given }) };
    }
    const reason = reasonIn(text);
    // The account has no credits left, its key was changed, or it is blocked: a person can mend it.
    const isAccount = status === 401 || (status === 403 && /temporar|blocked/i.test(reason));
    if (isAccount) return { outcome: "retry", reason: `The vendor answered ${status}: ${reason}` };
    return answerOfStatus(status, reason, retryAfter(headers, headers["x-ratelimit-reset"]));
  };

  return { name: "sendgrid", deduplicates: false, send };
};
