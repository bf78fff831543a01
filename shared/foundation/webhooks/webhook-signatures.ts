import { createHmac, createPublicKey, type KeyObject, verify } from "node:crypto";
import { nowMillis } from "../clock.ts";
import { isSameSecret } from "../constant-time.ts";

/** How a vendor has signed a body. */
export type SignatureKind = "sendgrid" | "standard";

/** The keys of whoever a webhook belongs to. Without a key of a kind, its signatures are refused. */
export interface WebhookKeys {
  /** SendGrid's public keys of signed webhooks: SPKI in base64, or PEM. */
  readonly sendgrid: readonly string[];
  /** Secrets of Standard Webhooks: base64, with or without `whsec_`. Several during a rotation. */
  readonly standard: readonly string[];
}

export interface SignedBody {
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Uint8Array;
}

/** A body whose signature is right. */
export interface VerifiedBody {
  readonly kind: SignatureKind;
  /** The id that a vendor gives to a message and repeats with each retry; undefined if it gives none. */
  readonly id: string | undefined;
  /** As signed, in seconds since the epoch. */
  readonly timestamp: string;
}

/** Of both kinds, in the past and in the future. */
const TOLERANCE_S = 5 * 60;
/** Of Standard Webhooks: a vendor that rotates its secret sends one signature for each. */
const MOST_SIGNATURES = 10;
const LONGEST_ID = 256;

const SENDGRID_SIGNATURE = "x-twilio-email-event-webhook-signature";
const SENDGRID_TIMESTAMP = "x-twilio-email-event-webhook-timestamp";

const isFresh = (timestamp: string): boolean =>
  /^\d{1,12}$/.test(timestamp) && Math.abs(nowMillis() / 1000 - Number(timestamp)) <= TOLERANCE_S;

/** A public key that SendGrid signs with: P-256, as SPKI in base64 or PEM. Null for any other text. */
const publicKeyOf = (text: string): KeyObject | null => {
  try {
    const key = text.includes("-----BEGIN")
      ? createPublicKey(text)
      : createPublicKey({ key: Buffer.from(text, "base64"), format: "der", type: "spki" });
    return key.asymmetricKeyType === "ec" && key.asymmetricKeyDetails?.namedCurve === "prime256v1" ? key : null;
  } catch {
    return null;
  }
};

/** A valid key whose private half nobody has. Used where there is no key, so that a refusal takes the same work. */
const NOBODYS_KEY =
  "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE0hfEpEMFbiJaW4efgLKTOinu8xHaptI+2ZEdjxu2DxN7lxEM7YrhRBExWPI4A0i789AaTNRGeIhsurgOdlrdrQ==";

/**
 * SendGrid's Event Webhook and its Inbound Parse with a security policy: ECDSA over the timestamp and the body.
 * https://www.twilio.com/docs/sendgrid/for-developers/tracking-events/getting-started-event-webhook-security-features
 */
const verifySendgrid = ({ headers, body }: SignedBody, keys: readonly string[]): VerifiedBody | null => {
  const signature = headers[SENDGRID_SIGNATURE] ?? "";
  const timestamp = headers[SENDGRID_TIMESTAMP] ?? "";
  const signed = Buffer.concat([Buffer.from(timestamp), body]);
  const bytes = Buffer.from(signature, "base64");
  let isRight = false;
  for (const text of keys.length === 0 ? [NOBODYS_KEY] : keys) {
    const key = publicKeyOf(text);
    // All keys are tried.
    if (key !== null && verify("sha256", signed, key, bytes)) isRight = true;
  }
  return isRight && keys.length > 0 && isFresh(timestamp) ? { kind: "sendgrid", id: undefined, timestamp } : null;
};

const secretOf = (text: string): Buffer => Buffer.from(text.replace(/^whsec_/, ""), "base64");

/** Standard Webhooks: HMAC-SHA-256 over id, timestamp and body. https://www.standardwebhooks.com */
const verifyStandard = ({ headers, body }: SignedBody, secrets: readonly string[]): VerifiedBody | null => {
  const id = headers["webhook-id"] ?? "";
  const timestamp = headers["webhook-timestamp"] ?? "";
  const given = (headers["webhook-signature"] ?? "").split(" ").slice(0, MOST_SIGNATURES);
  const signatures = given.flatMap((one) => (one.startsWith("v1,") ? [Buffer.from(one.slice(3), "base64")] : []));
  let isRight = false;
  for (const secret of secrets.length === 0 ? [""] : secrets) {
    const key = secretOf(secret);
    const expected = createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest();
    for (const signature of signatures) {
      if (isSameSecret(signature, expected) && key.length > 0) isRight = true;
    }
  }
  const isWhole = id !== "" && id.length <= LONGEST_ID && secrets.length > 0;
  return isRight && isWhole && isFresh(timestamp) ? { kind: "standard", id, timestamp } : null;
};

/**
 * The facts of a body that one of the keys has signed within five minutes, else null. All kinds of signatures are
 * computed for each body, also without keys and without headers, so that the time tells nothing about either.
 */
export const verifiedBody = (signed: SignedBody, keys: WebhookKeys): VerifiedBody | null => {
  const sendgrid = verifySendgrid(signed, keys.sendgrid);
  const standard = verifyStandard(signed, keys.standard);
  return sendgrid ?? standard;
};
