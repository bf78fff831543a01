import { createSign, generateKeyPairSync, type KeyObject, randomBytes } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { expect } from "vitest";
import { type HttpReply, http, registerOrganization, type User } from "../platform.ts";

/** The keys of an organization's email vendor, as the vendor has them. */
export interface VendorKeys {
  readonly sendgrid: KeyObject;
  readonly secret: string;
}

interface Sent {
  readonly type?: string;
  /** Seconds from now. */
  readonly late?: number;
  readonly id?: string;
  readonly headers?: Record<string, string>;
}

const soon = (late = 0): string => String(Math.floor(Date.now() / 1000) + late);

/** New keys for webhooks, and what the value of a credential says about them. */
export const newKeys = (): { readonly keys: VendorKeys; readonly value: Record<string, string> } => {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const secret = `whsec_${randomBytes(24).toString("base64")}`;
  const webhook_public_key = publicKey.export({ format: "der", type: "spki" }).toString("base64");
  return { keys: { sendgrid: privateKey, secret }, value: { webhook_public_key, webhook_secret: secret } };
};

/** Saves a credential of SendGrid with new keys for webhooks. */
const withEmailVendor = async ({ token }: Pick<User, "token">): Promise<VendorKeys> => {
  const { keys, value } = newKeys();
  const body = { name: "Mail", kind: "emailvendor", provider: "sendgrid", value: { api_key: "SG.test", ...value } };
  await http.post("/v1/object/auth_credential", { token, body, expect: 201 });
  return keys;
};

/** Registers an organization with such a credential. */
export const registerWithEmailVendor = async (): Promise<{ owner: User; keys: VendorKeys }> => {
  const owner = await registerOrganization();
  return { owner, keys: await withEmailVendor(owner) };
};

/** SendGrid's headers for a body. */
export const sendgridHeaders = (key: KeyObject, body: Uint8Array | string, late = 0): Record<string, string> => {
  const timestamp = soon(late);
  const signature = createSign("sha256").update(timestamp).update(body).sign(key, "base64");
  return {
    "x-twilio-email-event-webhook-signature": signature,
    "x-twilio-email-event-webhook-timestamp": timestamp,
  };
};

/** The headers of Standard Webhooks for a text, by the reference implementation. */
export const standardHeaders = (
  secret: string,
  body: string,
  { late = 0, id = randomBytes(9).toString("hex") } = {},
) => {
  const at = new Date(Number(soon(late)) * 1000);
  return {
    "webhook-id": id,
    "webhook-timestamp": String(at.getTime() / 1000),
    "webhook-signature": new Webhook(secret).sign(id, at, body),
  };
};

const bytesOf = (body: Uint8Array | string): Uint8Array<ArrayBuffer> => Uint8Array.from(Buffer.from(body));

export const post = (
  organizationId: string,
  body: Uint8Array | string,
  headers: Record<string, string>,
  type = "application/json",
): Promise<HttpReply> =>
  http.post(`/v1/email-services/emailvendor/webhook/${organizationId}`, {
    raw: bytesOf(body),
    headers: { "content-type": type, ...headers },
  });

/** Sends what SendGrid signs. Gives the answer. */
export const sendgrid = (
  owner: Pick<User, "organizationId">,
  keys: VendorKeys,
  body: Uint8Array | string,
  sent: Sent = {},
) =>
  post(owner.organizationId, body, { ...sendgridHeaders(keys.sendgrid, body, sent.late), ...sent.headers }, sent.type);

export interface ListedWebhook {
  readonly id: string;
  readonly kind: string;
  readonly signature: string;
  readonly status: string;
  readonly error: string | null;
  readonly size: number;
  readonly result: Record<string, unknown> | null;
}

export const webhooksOf = async ({ token }: Pick<User, "token">): Promise<ListedWebhook[]> =>
  (await http.get("/v1/email-services/emailvendor/webhooks", { token, expect: 200 })).body.webhooks;

/** Waits until nothing is queued any more. Gives the webhooks, newest first. */
export const settled = async (owner: Pick<User, "token">, count: number): Promise<ListedWebhook[]> => {
  await expect
    .poll(
      async () => {
        const all = await webhooksOf(owner);
        return all.length >= count && all.every(({ status }) => status !== "queued");
      },
      { timeout: 120_000, interval: 200 },
    )
    .toBe(true);
  return webhooksOf(owner);
};

/** A form as SendGrid's Inbound Parse sends it: texts, and files with a name. */
export const formOf = (
  fields: Readonly<Record<string, string | Uint8Array | { filename: string; type: string; content: Uint8Array }>>,
): { readonly body: Buffer; readonly type: string } => {
  const boundary = "xYzZY";
  const parts = Object.entries(fields).flatMap(([name, value]) => {
    const isFile = typeof value === "object" && "filename" in value;
    const named = isFile ? `; filename="${value.filename}"\r\nContent-Type: ${value.type}` : "";
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${named}\r\n\r\n`;
    return [Buffer.from(head), Buffer.from(isFile ? value.content : (value as string)), Buffer.from("\r\n")];
  });
  return {
    body: Buffer.concat([...parts, Buffer.from(`--${boundary}--\r\n`)]),
    type: `multipart/form-data; boundary=${boundary}`,
  };
};
