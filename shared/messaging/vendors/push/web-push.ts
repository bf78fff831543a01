import { createHash } from "node:crypto";
import { webpushValue } from "#contracts/vendor-credentials";
import { retryAfter } from "#shared/foundation/outbound/retry-after";
import { answerOfStatus, callVendor, credentialValue } from "../call.ts";
import type { Account, Answer, Vendor, VendorCall } from "../vendor.ts";
import { fitting, type OutgoingPush } from "./outgoing.ts";

/** How long the push service keeps it for a device that is not reachable. */
const TTL_S = 24 * 60 * 60;

/** A push service takes 4,096 bytes at least (RFC 8030 §7.2), of which the encryption of RFC 8188 needs 103. */
const MOST_BYTES = 3_993;

/** 32 characters of base64url (RFC 8030 §5.4). A message that waits is replaced by a later one with the same. */
const topicOf = (tag: string): string => createHash("sha256").update(tag).digest("base64url").slice(0, 32);

const payloadOf = (push: OutgoingPush): string =>
  fitting(push, (part) => JSON.stringify(part), Buffer.byteLength, MOST_BYTES);

/** Web Push: RFC 8030, encrypted for the browser (RFC 8291), in the name of the sender (VAPID, RFC 8292). */
export const webPush = ({ value }: Account): Vendor<OutgoingPush> => {
  const { public_key: publicKey, private_key: privateKey, subject } = credentialValue(webpushValue, value, "webpush");

  const send = async (push: OutgoingPush, { within }: VendorCall): Promise<Answer> => {
    const { target, data } = push;
    if (!("endpoint" in target)) return { outcome: "refused", reason: "The device has no push subscription." };
    // The library takes time to load, and few functions need it.
    const { default: library } = await import("web-push");
    let details: ReturnType<typeof library.generateRequestDetails>;
    try {
      details = library.generateRequestDetails(target, payloadOf(push), {
        vapidDetails: { subject, publicKey, privateKey },
        contentEncoding: "aes128gcm",
        TTL: TTL_S,
        urgency: data.urgent === true ? "high" : "normal",
        ...(typeof data.tag === "string" && data.tag !== "" && { topic: topicOf(data.tag) }),
      });
    } catch {
      return { outcome: "gone", reason: "The keys of the push subscription are not valid." };
    }
    const url = new URL(target.endpoint);
    const headers = Object.entries(details.headers).map(([name, text]) => [name.toLowerCase(), String(text)] as const);
    const called = await callVendor({
      origin: url.origin,
      path: `${url.pathname}${url.search}`,
      method: "POST",
      ownHeaders: Object.fromEntries(headers.filter(([name]) => name !== "content-length")),
      body: details.body ?? Buffer.alloc(0),
      within,
      // Whoever has the address can send to the device.
      secrets: [target.endpoint, url.pathname],
    });
    if ("answer" in called) return called.answer;
    const { status, headers: replied, text } = called.reply;
    if (status >= 200 && status < 300) return { outcome: "accepted" };
    const reason = text.slice(0, 300) || "no reason was given";
    if (status === 404 || status === 410) {
      return { outcome: "gone", reason: `The push service answered ${status}: ${reason}` };
    }
    return answerOfStatus(status, reason, retryAfter(replied));
  };

  return { name: "webpush", deduplicates: false, send };
};
