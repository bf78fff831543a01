import type { Document } from "mongodb";
import { elapsedMillis } from "#shared/foundation/clock";
import { isSameSecret } from "#shared/foundation/constant-time";
import { Fault } from "#shared/foundation/faults";
import { html, type Page, pageOf } from "#shared/foundation/html/html";
import { countPublicAttempt, delayRefusal, openOrganization, type TenantDatabase } from "#shared/tenant/tenant";
import { addSuppression } from "./suppression.ts";
import { parseToken } from "./unsubscribe-link.ts";

interface LinkedMessage extends Document {
  readonly _id: string;
  readonly name?: string;
  readonly to_email?: string;
  readonly from_email?: string;
  readonly _email?: { readonly unsubscribe?: string };
}

interface Request {
  readonly token: string;
  /** The IP address of whoever asks. */
  readonly address: string;
}

const limits = {
  perTarget: 30,
  perAddress: 600,
  refusal: {
    code: "too_many_attempts",
    message: "This address has opened such links too often; try again in a minute.",
  },
} as const;

interface Linked {
  readonly database: TenantDatabase;
  readonly message: LinkedMessage;
}

const find = async (token: string): Promise<Linked | null> => {
  const parsed = parseToken(token);
  if (parsed === undefined) return null;
  const database = await openOrganization(parsed.organization);
  if (database === null) return null;
  const message = await database
    .collection<LinkedMessage>("email_message")
    .findOne({ _id: parsed.message }, { projection: { name: 1, to_email: 1, from_email: 1, "_email.unsubscribe": 1 } });
  const isRight = isSameSecret(message?._email?.unsubscribe ?? "", parsed.secret);
  return message !== null && isRight ? { database, message } : null;
};

const linked = async ({ token, address }: Request): Promise<Linked> => {
  const start = elapsedMillis();
  await countPublicAttempt(address, ["unsubscribe", token], limits);
  const found = await find(token);
  if (found !== null) return found;
  await delayRefusal(start);
  throw new Fault("message_not_found", { message: "This link is not one of ours, or its message is gone." });
};

/** The first letter of the mailbox and its domain: whoever has only the link does not learn the address. */
const blurred = (email: string): string => {
  const at = email.lastIndexOf("@");
  return `${email.slice(0, 1)}…${email.slice(at)}`;
};

const senderOf = ({ from_email = "" }: LinkedMessage): string => from_email.slice(from_email.lastIndexOf("@") + 1);

/** Asks, and changes nothing. Raises `message_not_found` and `too_many_attempts`. */
export const unsubscribePage = async (request: Request): Promise<Page> => {
  const { message } = await linked(request);
  return pageOf({
    title: "Unsubscribe",
    content: html`<h1>Unsubscribe?</h1>
<p><strong>${blurred(message.to_email ?? "")}</strong> will get no more mail from this list of ${senderOf(message)}.</p>
<form method="post"><input type="hidden" name="List-Unsubscribe" value="One-Click"><button class="primary" type="submit">Unsubscribe</button></form>`,
  });
};

/** `List-Unsubscribe=One-Click` in a form of either kind (RFC 8058 §3.2). */
const isOneClick = (raw: Buffer, contentType: string): boolean => {
  const text = raw.toString("latin1");
  if (!/^multipart\/form-data\b/i.test(contentType)) {
    return new URLSearchParams(text).get("List-Unsubscribe") === "One-Click";
  }
  return /name="?List-Unsubscribe"?[^\r\n]*\r?\n(?:[^\r\n]+\r?\n)*\r?\nOne-Click\r?\n/i.test(text);
};

/**
 * Lets the recipient of a message have no more mail of the category `list`. Raises `validation_failed`,
 * `message_not_found` and `too_many_attempts`.
 */
export const unsubscribeOneClick = async (
  request: Request & { readonly raw: Buffer; readonly contentType: string },
): Promise<Page> => {
  const { database, message } = await linked(request);
  if (!isOneClick(request.raw, request.contentType)) {
    const msg = "Expected List-Unsubscribe=One-Click.";
    throw new Fault("validation_failed", { issues: [{ loc: ["body"], msg, type: "one_click" }] });
  }
  const { _id: id, name, to_email: email = "" } = message;
  await addSuppression(database, { email, scope: "list", reason: "unsubscribe", message: { id, name } });
  return pageOf({
    title: "Unsubscribed",
    content: html`<h1>Unsubscribed</h1>
<p><strong>${blurred(email)}</strong> gets no more mail from this list of ${senderOf(message)}.</p>
<p class="hint">Mail that is on its way already may still arrive.</p>`,
  });
};
