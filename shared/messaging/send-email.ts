import type { Document } from "mongodb";
import { v7 as uuidv7 } from "uuid";
import { emailLimits, type SendEmailRequest, type SentEmail } from "#contracts/email-bodies";
import { messageLimits } from "#contracts/messages";
import { nowMillis } from "#shared/foundation/clock";
import { Fault, refuseIfAny } from "#shared/foundation/faults";
import { LONGEST_NAME, type Tenant } from "#shared/tenant/tenant";
import type { StoreMessages } from "./capture.ts";
import { attachmentsOf, type InlineFile } from "./compose/attachments.ts";
import { contentOf } from "./compose/content.ts";
import { relatedRecord } from "./compose/related-record.ts";
import { type AcceptedStatus, acceptedStatus, acceptMessages, type NewMessage } from "./delivery/accept.ts";
import type { EmailExtras } from "./delivery/record.ts";
import { isVerifiedSender } from "./domains/domain-entry.ts";
import { suppressionsOf } from "./suppression/suppression.ts";
import { unsubscribeSecret } from "./suppression/unsubscribe-link.ts";

interface Decided {
  readonly email: string;
  readonly status: AcceptedStatus;
  readonly reason?: string;
}

/** Each address once, as the first kind that names it. */
const recipientsOf = ({ to_emails, cc = [], bcc = [] }: SendEmailRequest) => {
  const kinds = new Map<string, "to" | "cc" | "bcc">();
  for (const [kind, emails] of [
    ["to", to_emails],
    ["cc", cc],
    ["bcc", bcc],
  ] as const) {
    for (const email of emails) if (!kinds.has(email)) kinds.set(email, kind);
  }
  const of = (wanted: string): string[] => [...kinds].filter(([, kind]) => kind === wanted).map(([email]) => email);
  return { all: [...kinds.keys()], kinds, to: of("to"), cc: of("cc"), bcc: of("bcc") };
};

type Recipients = ReturnType<typeof recipientsOf>;

const refuseTooMany = ({ caller }: Tenant, { all }: Recipients): void => {
  const most = caller.is_admin ? messageLimits.recipients : messageLimits.recipientsOfOthers;
  if (all.length <= most) return;
  const msg = `An email of yours may have ${most} recipients, not ${all.length}.`;
  refuseIfAny([{ loc: ["body", "to_emails"], msg, type: "too_many_recipients" }]);
};

/** The moment to send at; undefined for now. Raises `validation_failed`. */
const sendAtOf = ({ send_at }: SendEmailRequest): Date | undefined => {
  if (send_at === undefined) return undefined;
  const at = new Date(send_at);
  if (at.getTime() > nowMillis() + emailLimits.aheadMs) {
    refuseIfAny([{ loc: ["body", "send_at"], msg: "This is more than a year ahead.", type: "too_late" }]);
  }
  return at.getTime() > nowMillis() ? at : undefined;
};

/** The status of a message that is accepted now. Raises `vendor_not_configured` and `sender_not_verified`. */
const statusFor = async (
  tenant: Tenant,
  { from, send_at, isTest }: { readonly from: string; readonly send_at: Date | undefined; readonly isTest: boolean },
): Promise<Exclude<AcceptedStatus, "suppressed">> => {
  if (isTest) return "captured";
  const status = await acceptedStatus(tenant, "email_message", { send_at });
  if (status !== "captured" && !(await isVerifiedSender(tenant, from))) {
    const message =
      `The domain of the sender ${from} is not verified. ` +
      "An administrator adds and proves it: POST /v1/email-services/domains.";
    throw new Fault("sender_not_verified", { message });
  }
  return status;
};

const trackingOf = ({ tracking_settings }: SendEmailRequest) => {
  const opens = tracking_settings?.open_tracking?.enable;
  const clicks = tracking_settings?.click_tracking?.enable;
  if (opens === undefined && clicks === undefined) return undefined;
  return { ...(opens !== undefined && { opens }), ...(clicks !== undefined && { clicks }) };
};

/** An email before it is recorded. */
interface Composed {
  readonly recipients: Recipients;
  readonly decided: readonly Decided[];
  readonly status: AcceptedStatus;
  /** Why it has this status. */
  readonly detail: string | undefined;
  readonly send_at: Date | undefined;
  readonly isList: boolean;
  /** The fields of all its messages. */
  readonly shared: Document;
  /** The fields of the message that has the content. */
  readonly body: Document;
  readonly tracking: NonNullable<EmailExtras["tracking"]> | undefined;
  readonly files: readonly InlineFile[];
}

const compose = async (tenant: Tenant, request: SendEmailRequest): Promise<Composed> => {
  const recipients = recipientsOf(request);
  refuseTooMany(tenant, recipients);
  const send_at = sendAtOf(request);
  const category = request.category ?? (request.asm_settings === undefined ? "transactional" : "list");
  const isList = category === "list";
  const from = request.from_email ?? tenant.caller.email;
  const isTest = request.mail_settings?.sandbox_mode?.enable === true;
  const status = await statusFor(tenant, { from, send_at, isTest });
  const related = await relatedRecord(tenant, request);
  const [content, { listed, inline }, suppressed] = await Promise.all([
    contentOf(tenant, request, { isList, recordData: related?.data ?? {} }),
    attachmentsOf(tenant, request),
    suppressionsOf(tenant, recipients.all, category),
  ]);
  const decide = (email: string): Decided => {
    const reason = suppressed.get(email);
    return reason === undefined ? { email, status } : { email, status: "suppressed", reason };
  };
  return {
    recipients,
    decided: recipients.all.map(decide),
    status,
    detail: isTest ? "The request asked for it to be kept and not sent." : undefined,
    send_at,
    isList,
    shared: {
      name: (content.subject || "(no subject)").slice(0, LONGEST_NAME),
      ...(content.subject !== "" && { subject: content.subject }),
      from_email: from,
      ...(request.from_name !== undefined && { from_name: request.from_name }),
      ...(request.reply_to !== undefined && { reply_to: request.reply_to }),
      direction: "outbound",
      opens: 0,
      clicks: 0,
      category,
      ...(content.template && { template: content.template }),
      ...(related && { related_to: related.reference }),
      ...(listed.length > 0 && { attachments: listed }),
    },
    body: {
      ...(content.html !== undefined && { body: content.html }),
      ...(content.text !== undefined && { text: content.text }),
    },
    tracking: trackingOf(request),
    files: inline,
  };
};

const isSuppressed = ({ status }: Decided): boolean => status === "suppressed";

/** The status of a message to some of the recipients. */
const accepted = ({ status, detail, send_at }: Composed, to: readonly Decided[]) => ({
  ...(to.every(isSuppressed)
    ? { status: "suppressed" as const, detail: "Nobody of its recipients gets mail." }
    : { status, ...(detail !== undefined && { detail }) }),
  ...(send_at !== undefined && { send_at }),
});

/** Recipients as the record lists them. */
const listedRecipients = ({ recipients }: Composed, some: readonly Decided[]) =>
  some.map(({ email, status, reason }) => ({
    email,
    kind: recipients.kinds.get(email),
    // Of the others the message's own status tells.
    ...(status === "suppressed" && { status, reason }),
  }));

const extrasOf = ({ tracking, files }: Composed): EmailExtras => ({
  ...(tracking && { tracking }),
  ...(files.length > 0 && { files }),
});

/** One message to all recipients. */
const messageToAll = (email: Composed): NewMessage => {
  const { to, cc, bcc } = email.recipients;
  const fields = {
    ...email.shared,
    ...email.body,
    to_email: to[0],
    to,
    ...(cc.length > 0 && { cc }),
    ...(bcc.length > 0 && { bcc }),
    recipients: listedRecipients(email, email.decided),
    _email: extrasOf(email),
  };
  return { fields, ...accepted(email, email.decided) };
};

/** A message for each recipient. The first has the content of all, so that it is not stored a thousand times. */
const messagesToEach = (email: Composed): NewMessage[] => {
  const batch_id = uuidv7();
  const { tracking } = email;
  return email.decided.map((one, index) => {
    const isFirst = index === 0;
    const extras: EmailExtras = isFirst ? extrasOf(email) : { ...(tracking && { tracking }), content_of: batch_id };
    const fields = {
      ...email.shared,
      ...(isFirst && email.body),
      to_email: one.email,
      to: [one.email],
      recipients: listedRecipients(email, [one]),
      batch_id,
      _email: { ...extras, unsubscribe: unsubscribeSecret() },
    };
    return { id: isFirst ? batch_id : uuidv7(), fields, ...accepted(email, [one]) };
  });
};

/**
 * Accepts an email of the caller: composes it, decides for each recipient, and records it. `store`: stores its
 * records, in a transaction of its own by default. Raises `validation_failed`, `vendor_not_configured` and
 * `sender_not_verified`.
 */
export const sendEmail = async (
  tenant: Tenant,
  request: SendEmailRequest,
  store?: StoreMessages,
): Promise<SentEmail> => {
  const email = await compose(tenant, request);
  const { decided, status, send_at, isList } = email;
  const messages = isList ? messagesToEach(email) : [messageToAll(email)];
  const ids = await acceptMessages(tenant, "email_message", messages, store);
  return {
    id: ids[0] ?? "",
    status: decided.every(isSuppressed) ? "suppressed" : status,
    ...(send_at && { send_at: send_at.toISOString() }),
    recipients: decided.map((one, index) => (isList ? { ...one, id: ids[index] ?? "" } : one)),
  };
};
