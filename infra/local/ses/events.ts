import type { EventType } from "./service.ts";

/** A mail that SES has taken. */
export interface TakenMail {
  readonly id: string;
  readonly from: string;
  readonly to: readonly string[];
  readonly tags: Readonly<Record<string, readonly string[]>>;
  readonly at: Date;
}

/** https://docs.aws.amazon.com/ses/latest/dg/send-an-email-from-console.html#send-test-email-note */
const SIMULATOR = "@simulator.amazonses.com";

const isSimulated = (email: string, ...names: readonly string[]): boolean =>
  names.some((name) => new RegExp(`^${name}(?:\\+[^@]*)?${SIMULATOR}$`, "i").test(email));

/** Addresses whose mail does not arrive, as at SES's mailbox simulator. */
const bounces = (email: string): boolean => isSimulated(email, "bounce", "suppressionlist");

/**
 * What SES reports about a mail, by the kind of event. All mails arrive here, but for those to the mailbox simulator.
 * https://docs.aws.amazon.com/ses/latest/dg/event-publishing-retrieving-sns-examples.html
 */
export const eventsOf = ({ id, from, to, tags, at }: TakenMail): { type: EventType; body: string }[] => {
  const timestamp = at.toISOString();
  const mail = { timestamp, messageId: id, source: from, destination: to, tags };
  const event = (type: EventType, name: string, rest: object) => ({
    type,
    body: JSON.stringify({ eventType: name, mail, ...rest }),
  });
  const failed = to.filter(bounces);
  const arrived = to.filter((email) => !bounces(email));
  const angry = to.filter((email) => isSimulated(email, "complaint"));
  const complained = angry.map((emailAddress) => ({ emailAddress }));
  const bounced = failed.map((emailAddress) => ({
    emailAddress,
    action: "failed",
    status: "5.1.1",
    diagnosticCode: "smtp; 550 5.1.1 user unknown",
  }));
  const bounce = { bounceType: "Permanent", bounceSubType: "General", bouncedRecipients: bounced, timestamp };
  const delivery = { timestamp, processingTimeMillis: 1, recipients: arrived, smtpResponse: "250 ok" };
  const complaint = { complainedRecipients: complained, complaintFeedbackType: "abuse", timestamp };
  return [
    event("send", "Send", { send: {} }),
    ...(arrived.length === 0 ? [] : [event("delivery", "Delivery", { delivery })]),
    ...(failed.length === 0 ? [] : [event("bounce", "Bounce", { bounce })]),
    ...(angry.length === 0 ? [] : [event("complaint", "Complaint", { complaint })]),
  ];
};
