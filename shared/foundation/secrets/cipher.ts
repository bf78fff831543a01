import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";

/** A text encrypted by AES-256-GCM. */
export interface Encrypted {
  /** 12 bytes, random. */
  readonly iv: Uint8Array;
  /** 16 bytes. */
  readonly tag: Uint8Array;
  readonly text: Uint8Array;
}

const CIPHER = "aes-256-gcm";
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** `bound`: additional authenticated data, without which the text cannot be decrypted. */
export const encryptWith = (key: Uint8Array, text: Uint8Array, bound?: Uint8Array): Encrypted => {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(CIPHER, key, iv);
  if (bound !== undefined) cipher.setAAD(bound);
  const encrypted = Buffer.concat([cipher.update(text), cipher.final()]);
  return { iv, tag: cipher.getAuthTag(), text: encrypted };
};

/** Raises if the text, the key or the bound data differ from those of the encryption. */
export const decryptWith = (key: Uint8Array, { iv, tag, text }: Encrypted, bound?: Uint8Array): Buffer => {
  const decipher = createDecipheriv(CIPHER, key, iv, { authTagLength: TAG_BYTES });
  if (bound !== undefined) decipher.setAAD(bound);
  decipher.setAuthTag(tag);
  return Buffer.concat([decipher.update(text), decipher.final()]);
};
