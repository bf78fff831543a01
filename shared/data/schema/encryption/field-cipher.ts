import { createHmac, hkdfSync } from "node:crypto";
import { Binary } from "mongodb";
import { decryptWith, encryptWith } from "#shared/foundation/secrets/cipher";
import type { EncryptedValue } from "./encrypted-value.ts";
import type { DataKey } from "./organization-key.ts";

const KEY_BYTES = 32;

/** A key for one use on one field, so that no key is used for two purposes. HKDF: RFC 5869. */
const derivedKey = ({ bytes }: DataKey, use: "value" | "hash", object: string, field: string): Uint8Array =>
  new Uint8Array(hkdfSync("sha256", bytes, "", JSON.stringify(["tenantry field", use, object, field]), KEY_BYTES));

/** Encrypts, decrypts and hashes the values of one encrypted field. */
export interface FieldCipher {
  /** `hashed`: the value can be searched for equality. */
  encrypt(record: string, text: string, hashed: boolean): EncryptedValue;
  /** Raises an error for a value of another place, or one that was changed. */
  decrypt(record: string, value: EncryptedValue): string;
  /** Equal for equal texts of this field, and without meaning to those who do not have the key. */
  hash(text: string): string;
}

export const fieldCipher = (organization: string, object: string, field: string, key: DataKey): FieldCipher => {
  const own = derivedKey(key, "value", object, field);
  /** Binds a value to its place: it cannot be decrypted as that of another record or field. */
  const boundTo = (record: string): Uint8Array => Buffer.from(JSON.stringify([organization, object, record, field]));
  let hashKey: Uint8Array | undefined;
  const hash = (text: string): string => {
    hashKey ??= derivedKey(key, "hash", object, field);
    return createHmac("sha256", hashKey).update(text).digest("base64url");
  };
  return {
    encrypt: (record, text, hashed) => {
      const encrypted = encryptWith(own, Buffer.from(text), boundTo(record));
      const value = {
        key: key.id,
        iv: new Binary(encrypted.iv),
        tag: new Binary(encrypted.tag),
        text: new Binary(encrypted.text),
      };
      return hashed ? { ...value, hash: hash(text) } : value;
    },
    decrypt: (record, { iv, tag, text }) =>
      decryptWith(own, { iv: iv.value(), tag: tag.value(), text: text.value() }, boundTo(record)).toString("utf8"),
    hash,
  };
};
