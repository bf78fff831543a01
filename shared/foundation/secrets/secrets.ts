import type { EncryptionContext } from "../aws/kms.ts";
import { decryptWith, encryptWith } from "./cipher.ts";
import { dataKeyFor, decryptedDataKey } from "./data-keys.ts";

/** A secret as stored: encrypted with a data key of its own, which only KMS can decrypt. All base64. */
export interface SealedSecret {
  /** The data key, encrypted under the KMS key. */
  readonly key: string;
  readonly iv: string;
  readonly tag: string;
  readonly text: string;
}

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64");
const bytesOf = (text: string): Buffer => Buffer.from(text, "base64");

/**
 * Encrypts a secret for one purpose. `openSecret` must name the same purpose, so that one record's secret cannot be
 * used for another. Raises `dependency_unavailable`.
 */
export const sealSecret = async (secret: Uint8Array, purpose: EncryptionContext): Promise<SealedSecret> => {
  const message = "A secret cannot be encrypted right now, so nothing was stored; try again.";
  const { plain, encrypted } = await dataKeyFor(purpose, message);
  const { iv, tag, text } = encryptWith(plain, secret);
  plain.fill(0);
  return { key: base64(encrypted), iv: base64(iv), tag: base64(tag), text: base64(text) };
};

/** Raises `dependency_unavailable`, and an internal error for a secret of another purpose. */
export const openSecret = async (sealed: SealedSecret, purpose: EncryptionContext): Promise<Buffer> => {
  const message = "A secret cannot be decrypted right now; try again.";
  const key = await decryptedDataKey(bytesOf(sealed.key), purpose, message);
  const { iv, tag, text } = sealed;
  const secret = decryptWith(key, { iv: bytesOf(iv), tag: bytesOf(tag), text: bytesOf(text) });
  key.fill(0);
  return secret;
};
