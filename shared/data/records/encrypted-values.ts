import type { Document } from "mongodb";
import {
  type DataKey,
  dataKeyOf,
  type FieldCipher,
  fieldCipher,
  requireDataKey,
} from "#shared/data/schema/encryption/encryption";
import { type Field, fieldIndexOf, isEncryptedValue } from "#shared/data/schema/schema";
import { Fault } from "#shared/foundation/faults";
import type { Changes } from "./check-record.ts";
import type { Target } from "./target.ts";

type Cipherer = (field: string) => FieldCipher;

const ciphersOf = ({ tenant, object }: Target, key: DataKey): Cipherer => {
  const ciphers = new Map<string, FieldCipher>();
  return (field) => {
    const known = ciphers.get(field);
    if (known !== undefined) return known;
    const made = fieldCipher(tenant.organization_id, object, field, key);
    ciphers.set(field, made);
    return made;
  };
};

/** The changes with the texts of these fields encrypted. Raises `dependency_unavailable`. */
export const encryptTexts = async (
  target: Target,
  fields: readonly Field[],
  records: readonly { readonly id: string; readonly changes: Changes }[],
): Promise<Changes[]> => {
  const cipherOf = ciphersOf(target, await requireDataKey(target.tenant));
  return records.map(({ id, changes }) => {
    const encrypted = { ...changes };
    for (const field of fields) {
      const value = changes[field.api_name];
      if (typeof value !== "string") continue;
      encrypted[field.api_name] = cipherOf(field.api_name).encrypt(id, value, fieldIndexOf(field) !== null);
    }
    return encrypted;
  });
};

/** Decrypts the stored value of a field. Other values are returned unchanged. */
export type Decrypt = (document: Document, field: string) => unknown;

/** Raises `dependency_unavailable`. The answered function raises an internal error for a value that was changed. */
export const decryptorOf = async (target: Target): Promise<Decrypt> => {
  const key = await dataKeyOf(target.tenant);
  const cipherOf = key === null ? null : ciphersOf(target, key);
  return (document, field) => {
    const stored: unknown = document[field];
    if (!isEncryptedValue(stored)) return stored;
    // The key was created since it was looked for.
    if (cipherOf === null) throw new Fault("dependency_unavailable", { headers: { "retry-after": "1" } });
    try {
      return cipherOf(field).decrypt(String(document._id), stored);
    } catch (cause) {
      const place = `"${field}" of the "${target.object}" record ${document._id}`;
      throw new Error(`The stored value of ${place} cannot be decrypted: it was changed or copied.`, { cause });
    }
  };
};
