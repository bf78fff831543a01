import * as z from "zod";
import { twilioValue } from "#contracts/vendor-credentials";
import { retryAfter } from "#shared/foundation/outbound/retry-after";
import { answerOfStatus, callVendor, credentialValue, parsedAs } from "../call.ts";
import type { Account, Answer, OutgoingSms, Vendor, VendorCall } from "../vendor.ts";

const ORIGIN = "https://api.twilio.com";

const LOOKUP_MS = 10_000;

/** https://www.twilio.com/docs/messaging/api/message-resource */
const resource = z.object({
  sid: z.string().max(64),
  status: z.string(),
  error_code: z.number().nullish(),
  error_message: z.string().nullish(),
});

const problem = z.object({ code: z.number().nullish(), message: z.string() });

const reasonIn = (text: string): string => {
  const found = parsedAs(problem, text);
  if (found === undefined) return text.slice(0, 300);
  return found.code === undefined || found.code === null ? found.message : `${found.code}: ${found.message}`;
};

/** What the state of a message that Twilio has taken means. */
const answerOf = ({ sid, status, error_code, error_message }: z.output<typeof resource>): Answer => {
  if (status === "delivered" || status === "read") {
    return { outcome: "accepted", vendor_message_id: sid, status: "delivered" };
  }
  if (status === "failed" || status === "undelivered" || status === "canceled") {
    const code = error_code === undefined || error_code === null ? "" : ` ${error_code}`;
    return {
      outcome: "refused",
      reason: `The vendor says ${status}${code}: ${error_message ?? "no reason was given"}`,
    };
  }
  return { outcome: "accepted", vendor_message_id: sid, status: "sent" };
};

/**
 * Twilio's Messages API. It has no idempotency key; a message can be asked for by the id that Twilio gave it, which is
 * also how its delivery is found out.
 */
export const twilio = ({ value, base_url = ORIGIN }: Account): Vendor<OutgoingSms> => {
  const { account_sid, auth_token, from } = credentialValue(twilioValue, value, "twilio");
  const authorization = `Basic ${Buffer.from(`${account_sid}:${auth_token}`).toString("base64")}`;
  const common = { origin: new URL(base_url).origin, secrets: [auth_token, authorization.slice("Basic ".length)] };
  const path = `/2010-04-01/Accounts/${account_sid}/Messages`;

  const send = async ({ to, text }: OutgoingSms, { within }: VendorCall): Promise<Answer> => {
    const sender = from.startsWith("MG") ? { MessagingServiceSid: from } : { From: from };
    const called = await callVendor({
      ...common,
      path: `${path}.json`,
      method: "POST",
      ownHeaders: { authorization, "content-type": "application/x-www-form-urlencoded" },
      body: Buffer.from(new URLSearchParams({ To: to, Body: text, ...sender }).toString()),
      within,
    });
    if ("answer" in called) return called.answer;
    const { status, headers, text: reply } = called.reply;
    const taken = status >= 200 && status < 300 ? parsedAs(resource, reply) : undefined;
    if (taken !== undefined) return answerOf(taken);
    if (status >= 200 && status < 300) return { outcome: "unclear", reason: "The answer of the vendor has no sid." };
    const reason = reasonIn(reply);
    // Its key was changed or the account is suspended: a person can mend it.
    if (status === 401 || status === 403) {
      return { outcome: "retry", reason: `The vendor answered ${status}: ${reason}` };
    }
    if (status === 500) return { outcome: "unclear", reason: `The vendor answered 500: ${reason}` };
    return answerOfStatus(status, reason, retryAfter(headers));
  };

  const lookup = async (_id: string, sid?: string): Promise<Answer | "unknown"> => {
    if (sid === undefined || !/^[A-Za-z0-9]{2,64}$/.test(sid)) return "unknown";
    const called = await callVendor({
      ...common,
      path: `${path}/${sid}.json`,
      method: "GET",
      ownHeaders: { authorization },
      within: LOOKUP_MS,
    });
    if (!("reply" in called) || called.reply.status !== 200) return "unknown";
    const found = parsedAs(resource, called.reply.text);
    return found === undefined ? "unknown" : answerOf(found);
  };

  return { name: "twilio", deduplicates: false, send, lookup };
};
