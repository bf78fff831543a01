import { Binary } from "mongodb";
import { isObject } from "#shared/foundation/is-object";

/** The stored value of an encrypted field. */
export interface EncryptedValue {
  /** The id of the organization's data key. A sealed value has the key itself there. */
  readonly key: string;
  readonly iv: Binary;
  readonly tag: Binary;
  readonly text: Binary;
  /** Keyed hash of the text, in base64url, of a field that is indexed or unique. */
  readonly hash?: string;
}

/** A caller's JSON has no binary data, so no other value can be mistaken for an encrypted one. */
export const isEncryptedValue = (stored: unknown): stored is EncryptedValue =>
  isObject(stored) &&
  typeof stored.key === "string" &&
  stored.iv instanceof Binary &&
  stored.tag instanceof Binary &&
  stored.text instanceof Binary;
