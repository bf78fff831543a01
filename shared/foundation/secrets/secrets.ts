import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { type EncryptionContext, newDataKey, openDataKey } from "../aws/kms.ts";
import { env } from "../env.ts";
import { Fault } from "../faults.ts";

/** A secret as stored: encrypted with a data key of its own, which only KMS can decrypt. All base64. */
export interface SealedSecret {
  /** The data key, encrypted under the KMS key. */
  readonly key: string;
  readonly iv: string;
  readonly tag: string;
  readonly text: string;
}

const CIPHER = "aes-256-gcm";
const IV_BYTES = 12;

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64");
const bytesOf = (text: string): Buffer => Buffer.from(text, "base64");

const unavailable = (message: string, cause: unknown): Fault =>
  new Fault("dependency_unavailable", { message, headers: { "retry-after": "5" }, cause });

const dataKeyFor = async (purpose: EncryptionContext) => {
  try {
    return await newDataKey(env.dataKeyArn(), purpose);
  } catch (cause) {
    throw unavailable("A secret cannot be encrypted right now, so nothing was stored; try again.", cause);
  }
};

/** KMS raises these for a ciphertext of another purpose or an invalid one. Retrying does not help. */
const WRONG = new Set(["InvalidCiphertextException", "IncorrectKeyException"]);

const dataKeyOf = async (encrypted: Uint8Array, purpose: EncryptionContext): Promise<Uint8Array> => {
  try {
    return await openDataKey(env.dataKeyArn(), encrypted, purpose);
  } catch (cause) {
    if (cause instanceof Error && WRONG.has(cause.name)) throw cause;
    throw unavailable("A secret cannot be decrypted right now; try again.", cause);
  }
};

/**
 * Encrypts a secret for one purpose. `openSecret` must name the same purpose, so that one record's secret cannot be
 * used for another. Raises `dependency_unavailable`.
 */
export const sealSecret = async (secret: Uint8Array, purpose: EncryptionContext): Promise<SealedSecret> => {
  const { plain, encrypted } = await dataKeyFor(purpose);
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(CIPHER, plain, iv);
  const text = Buffer.concat([cipher.update(secret), cipher.final()]);
  plain.fill(0);
  return { key: base64(encrypted), iv: base64(iv), tag: base64(cipher.getAuthTag()), text: base64(text) };
};

/** Raises `dependency_unavailable`, and an internal error for a secret of another purpose. */
export const openSecret = async (sealed: SealedSecret, purpose: EncryptionContext): Promise<Buffer> => {
  const key = await dataKeyOf(bytesOf(sealed.key), purpose);
  const decipher = createDecipheriv(CIPHER, key, bytesOf(sealed.iv));
  decipher.setAuthTag(bytesOf(sealed.tag));
  const secret = Buffer.concat([decipher.update(bytesOf(sealed.text)), decipher.final()]);
  key.fill(0);
  return secret;
};
