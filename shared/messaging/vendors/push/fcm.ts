import { createHash } from "node:crypto";
import { importPKCS8, SignJWT } from "jose";
import * as z from "zod";
import { fcmValue } from "#contracts/vendor-credentials";
import { boundedCache } from "#shared/foundation/bounded-cache";
import { nowMillis } from "#shared/foundation/clock";
import { retryAfter } from "#shared/foundation/outbound/retry-after";
import { textOf } from "#shared/foundation/text-of";
import { answerOfStatus, callVendor, credentialValue, parsedAs } from "../call.ts";
import type { Account, Answer, Vendor, VendorCall } from "../vendor.ts";
import { fitting, type OutgoingPush } from "./outgoing.ts";

const FCM = "https://fcm.googleapis.com";
const OAUTH = "https://oauth2.googleapis.com";
const SCOPE = "https://www.googleapis.com/auth/firebase.messaging";

/** Of keys and values of `data` together. */
const MOST_BYTES = 3_500;

/** An access token is renewed so many seconds before its end. */
const EARLY_S = 120;
const TOKEN_LIFE_S = 3_600;

interface AccessToken {
  readonly token: string;
  /** Milliseconds since the epoch. */
  readonly until: number;
}

/** Account → its access token. */
const tokens = boundedCache<AccessToken>({ mostBytes: 1024 * 1024, bytesOf: () => 2_500 });

const tokenReply = z.object({ access_token: z.string().min(1), expires_in: z.number().default(TOKEN_LIFE_S) });

/** https://firebase.google.com/docs/reference/fcm/rest/v1/ErrorCode */
const errorReply = z.object({
  error: z.object({
    message: z.string().default(""),
    status: z.string().default(""),
    details: z.array(z.looseObject({ errorCode: z.string().optional() })).default([]),
  }),
});

/** All values of `data` are texts. Names that FCM uses itself are left out. */
const dataOf = (data: Readonly<Record<string, unknown>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(data)
      .filter(([name, value]) => !/^(?:from|message_type|google|gcm)/i.test(name) && value !== null)
      .map(([name, value]) => [name, typeof value === "string" ? value : JSON.stringify(value)]),
  );

const bytesOf = (parts: object): number => Buffer.byteLength(JSON.stringify(parts));

const messageOf = (push: OutgoingPush, token: string): object => {
  const { title, body, data } = fitting(
    push,
    ({ data, ...texts }) => ({ ...texts, data: dataOf(data) }),
    bytesOf,
    MOST_BYTES,
  );
  const [tag, image, sound] = [textOf(push.data.tag), textOf(push.data.image), textOf(push.data.sound)];
  const isUrgent = push.data.urgent === true;
  return {
    message: {
      token,
      notification: { title, ...(body !== "" && { body }), ...(image !== undefined && { image }) },
      data,
      android: {
        priority: isUrgent ? "HIGH" : "NORMAL",
        ttl: "86400s",
        notification: { ...(tag !== undefined && { tag }), ...(sound !== undefined && { sound }) },
      },
      apns: {
        headers: { "apns-priority": isUrgent ? "10" : "5" },
        payload: { aps: { ...(sound !== undefined && { sound }), ...(tag !== undefined && { "thread-id": tag }) } },
      },
    },
  };
};

/** FCM's HTTP v1 API. It has no idempotency key, and messages cannot be asked for. */
export const fcm = ({ value, base_url }: Account): Vendor<OutgoingPush> => {
  const { project_id, client_email, private_key } = credentialValue(fcmValue, value, "fcm").service_account;
  const origin = new URL(base_url ?? FCM).origin;
  const oauthOrigin = base_url === undefined ? OAUTH : origin;
  const key = createHash("sha256").update(`${oauthOrigin} ${client_email} ${private_key}`).digest("base64url");

  /** An access token for the service account (RFC 7523), or why there is none. */
  const accessToken = async (within: number): Promise<string | Answer> => {
    const known = tokens.get(key);
    if (known !== undefined && known.until > nowMillis()) return known.token;
    const audience = `${oauthOrigin}/token`;
    let assertion: string;
    try {
      const issued = Math.floor(nowMillis() / 1000);
      assertion = await new SignJWT({ scope: SCOPE })
        .setProtectedHeader({ alg: "RS256", typ: "JWT" })
        .setIssuer(client_email)
        .setAudience(audience)
        .setIssuedAt(issued)
        .setExpirationTime(issued + TOKEN_LIFE_S)
        .sign(await importPKCS8(private_key, "RS256"));
    } catch {
      return { outcome: "refused", reason: "The private key of the service account is not valid." };
    }
    const grant = { grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer", assertion };
    const called = await callVendor({
      origin: oauthOrigin,
      path: "/token",
      method: "POST",
      ownHeaders: { "content-type": "application/x-www-form-urlencoded" },
      body: Buffer.from(new URLSearchParams(grant).toString()),
      within,
      secrets: [assertion],
    });
    // Nothing was sent to the device yet.
    if ("answer" in called) return { outcome: "retry", reason: called.answer.reason };
    const { status, text } = called.reply;
    const reply = status === 200 ? parsedAs(tokenReply, text) : undefined;
    if (reply === undefined) {
      return { outcome: "retry", reason: `No access token was given: the vendor answered ${status}.` };
    }
    tokens.set(key, { token: reply.access_token, until: nowMillis() + (reply.expires_in - EARLY_S) * 1000 });
    return reply.access_token;
  };

  const send = async (push: OutgoingPush, { within }: VendorCall): Promise<Answer> => {
    if (!("token" in push.target)) return { outcome: "refused", reason: "The device has no token of FCM." };
    const start = nowMillis();
    const token = await accessToken(within / 2);
    if (typeof token !== "string") return token;
    const called = await callVendor({
      origin,
      path: `/v1/projects/${project_id}/messages:send`,
      method: "POST",
      ownHeaders: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: Buffer.from(JSON.stringify(messageOf(push, push.target.token))),
      within: within - (nowMillis() - start),
      secrets: [token, push.target.token],
    });
    if ("answer" in called) return called.answer;
    const { status, headers, text } = called.reply;
    if (status >= 200 && status < 300) {
      const name = parsedAs(z.object({ name: z.string().max(200) }), text)?.name;
      return { outcome: "accepted", ...(name !== undefined && { vendor_message_id: name }) };
    }
    const error = parsedAs(errorReply, text)?.error;
    const code = error?.details.find(({ errorCode }) => errorCode !== undefined)?.errorCode ?? error?.status ?? "";
    const reason = `${code} ${error?.message ?? text.slice(0, 300)}`.trim();
    const isNoToken = code === "INVALID_ARGUMENT" && /registration token/i.test(reason);
    if (code === "UNREGISTERED" || code === "SENDER_ID_MISMATCH" || isNoToken) {
      return { outcome: "gone", reason: `The vendor answered ${status}: ${reason}` };
    }
    if (status === 401 || status === 403) {
      tokens.delete(key);
      return { outcome: "retry", reason: `The vendor answered ${status}: ${reason}` };
    }
    return answerOfStatus(status, reason, retryAfter(headers));
  };

  return { name: "fcm", deduplicates: false, send };
};
