import { randomBytes } from "node:crypto";
import { serveVendor, type VendorReply } from "./server.ts";

/** A message as Twilio keeps it: https://www.twilio.com/docs/messaging/api/message-resource */
interface TwilioMessage {
  readonly sid: string;
  readonly to: string;
  readonly from: string;
  readonly body: string;
  status: string;
  error_code: number | null;
  error_message: string | null;
}

const problem = (status: number, code: number, message: string): VendorReply => ({
  status,
  body: { code, message, more_info: `https://www.twilio.com/docs/errors/${code}`, status },
});

/** Twilio's Messages API. Numbers that end with 0000 are not valid, those with 0610 have unsubscribed. */
export const twilioServer = async (account: { readonly account_sid: string; readonly auth_token: string }) => {
  const messages: TwilioMessage[] = [];
  let failures: VendorReply[] = [];
  const expected = `Basic ${Buffer.from(`${account.account_sid}:${account.auth_token}`).toString("base64")}`;
  const base = `/2010-04-01/Accounts/${account.account_sid}/Messages`;

  const create = (body: URLSearchParams): VendorReply => {
    const [to, text, from] = [body.get("To"), body.get("Body"), body.get("From") ?? body.get("MessagingServiceSid")];
    if (!to) return problem(400, 21604, "A 'To' phone number is required.");
    if (!text) return problem(400, 21602, "Message body is required.");
    if (!from) return problem(400, 21603, "A 'From' phone number is required.");
    if (to.endsWith("0000")) return problem(400, 21211, `Invalid 'To' Phone Number: ${to}`);
    if (to.endsWith("0610")) return problem(400, 21610, "Attempt to send to unsubscribed recipient");
    const sid = `SM${randomBytes(16).toString("hex")}`;
    const message: TwilioMessage = {
      sid,
      to,
      from,
      body: text,
      status: "queued",
      error_code: null,
      error_message: null,
    };
    messages.push(message);
    return { status: 201, body: message };
  };

  const { url, close } = await serveVendor(({ method, path, headers, body }) => {
    if (headers.authorization !== expected) return problem(401, 20003, "Authenticate");
    if (method === "POST" && path === `${base}.json`) {
      const failure = failures.shift();
      return failure ?? create(new URLSearchParams(body.toString("utf8")));
    }
    const sid = path.startsWith(`${base}/`) ? path.slice(base.length + 1).replace(/\.json$/, "") : "";
    const found = messages.find((message) => message.sid === sid);
    return found === undefined
      ? problem(404, 20404, "The requested resource was not found")
      : { status: 200, body: found };
  });

  return {
    url,
    close,
    messages,
    /** The answers to the next messages, in their place. */
    failNext: (...replies: VendorReply[]) => {
      failures = [...failures, ...replies];
    },
    /** What the network says later about all messages so far. */
    settle: (status: "delivered" | "undelivered", error_code: number | null = null) => {
      for (const message of messages) Object.assign(message, { status, error_code });
    },
  };
};
