import { sendRawMail } from "#shared/foundation/aws/ses";
import { env } from "#shared/foundation/env";
import type { Answer, OutgoingEmail, Vendor, VendorCall } from "../vendor.ts";
import { mimeOf } from "./mime.ts";

/** https://docs.aws.amazon.com/ses/latest/dg/quotas.html */
const MOST_RECIPIENTS = 50;

const domainOf = (email: string): string => email.slice(email.lastIndexOf("@") + 1).toLowerCase();

/**
 * An email in the platform's name: SES sends from the domains of its account only. The sender of the organization is
 * shown as the name, and gets the answers.
 */
const fromPlatform = (email: OutgoingEmail): OutgoingEmail => {
  const sender = env.mailSender();
  if (domainOf(email.from.email) === domainOf(sender)) return email;
  const name = email.from.name ?? email.from.email;
  return { ...email, from: { email: sender, name }, reply_to: email.reply_to ?? email.from.email };
};

/**
 * Errors that say that SES has not taken the mail, and will not: https://docs.aws.amazon.com/ses/latest/APIReference-V2
 */
const final = new Set(["MessageRejected", "BadRequestException", "MailFromDomainNotVerifiedException"]);
const notTaken = new Set([
  "TooManyRequestsException",
  "LimitExceededException",
  "SendingPausedException",
  "AccountSuspendedException",
  "ThrottlingException",
  "AccessDeniedException",
  // The configuration set, while a stage is deployed.
  "NotFoundException",
]);

const answerOf = (error: unknown): Answer => {
  const { name, message } = error as Error;
  const reason = `${name}: ${message}`;
  if (final.has(name)) return { outcome: "refused", reason };
  if (notTaken.has(name)) return { outcome: "retry", reason };
  return { outcome: "unclear", reason };
};

/** The platform's own account at SES. It has no idempotency key, and cannot be asked for a message. */
export const ses = (): Vendor<OutgoingEmail> => ({
  name: "ses",
  deduplicates: false,
  send: async (given: OutgoingEmail, { within }: VendorCall): Promise<Answer> => {
    const email = fromPlatform(given);
    const to = [...new Set([...email.to, ...email.cc, ...email.bcc])];
    if (to.length > MOST_RECIPIENTS) {
      return { outcome: "refused", reason: `The platform's account sends an email to ${MOST_RECIPIENTS} at most.` };
    }
    const raw = await mimeOf(email);
    const tags = { tenantry_id: given.id, tenantry_organization: given.organization_id };
    const configurationSet = env.mailConfigurationSet();
    try {
      const vendor_message_id = await sendRawMail({ from: email.from.email, to, raw, configurationSet, tags, within });
      return { outcome: "accepted", ...(vendor_message_id !== undefined && { vendor_message_id }) };
    } catch (error) {
      return answerOf(error);
    }
  },
});
