import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { type EncryptionContext, newDataKey, openDataKey } from "../aws/kms.ts";
import { env } from "../env.ts";

/** A secret as it lies in the database: encrypted with a data key of its own, which only KMS can open. All base64. */
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

/** Encrypts a secret for one purpose, which `openSecret` must name too: one record's secret is no use in another's. */
export const sealSecret = async (secret: Uint8Array, purpose: EncryptionContext): Promise<SealedSecret> => {
  const { plain, encrypted } = await newDataKey(env.dataKeyArn(), purpose);
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(CIPHER, plain, iv);
  const text = Buffer.concat([cipher.update(secret), cipher.final()]);
  plain.fill(0);
  return { key: base64(encrypted), iv: base64(iv), tag: base64(cipher.getAuthTag()), text: base64(text) };
};

export const openSecret = async (sealed: SealedSecret, purpose: EncryptionContext): Promise<Buffer> => {
  const key = await openDataKey(env.dataKeyArn(), bytesOf(sealed.key), purpose);
  const decipher = createDecipheriv(CIPHER, key, bytesOf(sealed.iv));
  decipher.setAuthTag(bytesOf(sealed.tag));
  const secret = Buffer.concat([decipher.update(bytesOf(sealed.text)), decipher.final()]);
  key.fill(0);
  return secret;
};
