import { createDecipheriv, createECDH, createPublicKey, type ECDH, hkdfSync, randomBytes } from "node:crypto";
import { jwtVerify } from "jose";
import { serveVendor, type VendorReply, type VendorRequest } from "./server.ts";

interface Subscription {
  readonly path: string;
  readonly keys: ECDH;
  readonly auth: Buffer;
  state: "active" | "gone";
}

interface ReceivedPush {
  readonly path: string;
  /** Decrypted. */
  readonly payload: Record<string, unknown>;
  readonly ttl: string | undefined;
  readonly topic: string | undefined;
  readonly urgency: string | undefined;
  /** Encrypted. */
  readonly bytes: number;
}

const derive = (secret: Uint8Array, salt: Uint8Array, info: Uint8Array, bytes: number): Buffer =>
  Buffer.from(hkdfSync("sha256", secret, salt, info, bytes));

/** RFC 8291 §3.4 with the content encoding aes128gcm of RFC 8188, by hand: one record, as a browser reads it. */
const decrypt = ({ keys, auth }: Subscription, body: Buffer): Buffer => {
  const salt = body.subarray(0, 16);
  const size = body.readUInt32BE(16);
  const idLength = body.readUInt8(20);
  const sender = body.subarray(21, 21 + idLength);
  const record = body.subarray(21 + idLength);
  if (record.length > size) throw new Error("The message has several records.");
  const info = Buffer.concat([Buffer.from("WebPush: info\0"), keys.getPublicKey(), sender]);
  const input = derive(keys.computeSecret(sender), auth, info, 32);
  const key = derive(input, salt, Buffer.from("Content-Encoding: aes128gcm\0"), 16);
  const nonce = derive(input, salt, Buffer.from("Content-Encoding: nonce\0"), 12);
  const decipher = createDecipheriv("aes-128-gcm", key, nonce);
  decipher.setAuthTag(record.subarray(-16));
  const padded = Buffer.concat([decipher.update(record.subarray(0, -16)), decipher.final()]);
  const end = padded.lastIndexOf(2);
  if (end < 0 || padded.subarray(end + 1).some((byte) => byte !== 0)) throw new Error("The padding is not valid.");
  return padded.subarray(0, end);
};

/** A key pair for VAPID, in base64url. */
export const vapidKeys = () => {
  const pair = createECDH("prime256v1");
  const public_key = pair.generateKeys().toString("base64url");
  return { public_key, private_key: pair.getPrivateKey().toString("base64url"), subject: "mailto:ops@example.com" };
};

/** A push service (RFC 8030) that knows the sender's key (RFC 8292), with browsers that decrypt what it takes. */
export const webPushServer = async (sender: { readonly public_key: string }) => {
  const subscriptions: Subscription[] = [];
  const received: ReceivedPush[] = [];
  let failures: VendorReply[] = [];
  const point = Buffer.from(sender.public_key, "base64url");
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) => part.toString("base64url"));
  const vapidKey = createPublicKey({ key: { kty: "EC", crv: "P-256", x: x ?? "", y: y ?? "" }, format: "jwk" });

  const isFromSender = async ({ headers }: VendorRequest): Promise<boolean> => {
    const [, token = "", key] = /^vapid t=([^,]+), ?k=(.+)$/.exec(headers.authorization ?? "") ?? [];
    if (key !== sender.public_key) return false;
    try {
      const { payload } = await jwtVerify(token, vapidKey, { audience: server.url, algorithms: ["ES256"] });
      const life = (payload.exp ?? 0) - Date.now() / 1000;
      return life > 0 && life <= 86_400 && String(payload.sub).startsWith("mailto:");
    } catch {
      return false;
    }
  };

  const server: { url: string; close: () => Promise<void> } = await serveVendor(async (request) => {
    const { path, headers, body } = request;
    if (headers.ttl === undefined || !/^\d+$/.test(String(headers.ttl))) return { status: 400, body: "Missing TTL" };
    if (!(await isFromSender(request))) return { status: 403, body: "invalid VAPID" };
    if (body.length > 4_096) return { status: 413, body: "Payload Too Large" };
    const failure = failures.shift();
    if (failure !== undefined) return failure;
    const subscription = subscriptions.find((one) => one.path === path);
    if (subscription === undefined) return { status: 404, body: "No such subscription" };
    if (subscription.state === "gone") return { status: 410, body: "push subscription has unsubscribed or expired." };
    if (headers["content-encoding"] !== "aes128gcm") return { status: 415, body: "Unknown Content-Encoding" };
    const payload = JSON.parse(decrypt(subscription, body).toString("utf8"));
    const text = (name: string) => (headers[name] === undefined ? undefined : String(headers[name]));
    const bytes = body.length;
    received.push({ path, payload, ttl: text("ttl"), topic: text("topic"), urgency: text("urgency"), bytes });
    return { status: 201, headers: { location: `${server.url}/message/${received.length}` } };
  });

  return {
    ...server,
    received,
    /** A browser subscribes. Gives what its page sends to the platform. */
    subscribe: () => {
      const keys = createECDH("prime256v1");
      const p256dh = keys.generateKeys().toString("base64url");
      const auth = randomBytes(16);
      const path = `/push/${randomBytes(12).toString("hex")}`;
      subscriptions.push({ path, keys, auth, state: "active" });
      return { endpoint: `${server.url}${path}`, keys: { p256dh, auth: auth.toString("base64url") } };
    },
    /** All browsers unsubscribe. */
    unsubscribe: () => {
      for (const one of subscriptions) one.state = "gone";
    },
    failNext: (...replies: VendorReply[]) => {
      failures = [...failures, ...replies];
    },
  };
};
