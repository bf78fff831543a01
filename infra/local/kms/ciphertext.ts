import { createCipheriv, createDecipheriv, type KeyObject, randomBytes } from "node:crypto";
import { ServiceError } from "../sdk/call.ts";

/** Layout: version 1, the key's id as 36 ASCII characters, 12 bytes of nonce, 16 of tag, the encrypted bytes. */
const version = 1;
const header = 1 + 36 + 12 + 16;

/** The additional authenticated data for an encryption context, independent of the order of its pairs. */
const bound = (context: Readonly<Record<string, string>>): Buffer =>
  Buffer.from(JSON.stringify(Object.entries(context).sort(([left], [right]) => (left < right ? -1 : 1))));

export const encrypt = (
  keyId: string,
  key: KeyObject,
  plaintext: Buffer,
  context: Readonly<Record<string, string>>,
): Buffer => {
  const nonce = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", key, nonce).setAAD(bound(context));
  const body = Buffer.concat([cipher.update(plaintext), cipher.final()]);
  return Buffer.concat([Buffer.from([version]), Buffer.from(keyId, "ascii"), nonce, cipher.getAuthTag(), body]);
};

const invalid = (): never => {
  throw new ServiceError("InvalidCiphertextException", "The ciphertext is not valid for this key and context.");
};

/** The id of the key of a ciphertext. */
export const keyIdOf = (ciphertext: Buffer): string =>
  ciphertext.length < header || ciphertext[0] !== version ? invalid() : ciphertext.toString("ascii", 1, 37);

export const decrypt = (key: KeyObject, ciphertext: Buffer, context: Readonly<Record<string, string>>): Buffer => {
  const decipher = createDecipheriv("aes-256-gcm", key, ciphertext.subarray(37, 49))
    .setAAD(bound(context))
    .setAuthTag(ciphertext.subarray(49, header));
  try {
    return Buffer.concat([decipher.update(ciphertext.subarray(header)), decipher.final()]);
  } catch {
    return invalid();
  }
};
