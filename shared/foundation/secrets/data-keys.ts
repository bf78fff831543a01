import { type EncryptionContext, newDataKey, openDataKey } from "../aws/kms.ts";
import { env } from "../env.ts";
import { Fault } from "../faults.ts";

const unavailable = (message: string, cause: unknown): Fault =>
  new Fault("dependency_unavailable", { message, headers: { "retry-after": "5" }, cause });

/** A new data key, in clear and encrypted under the KMS key. Raises `dependency_unavailable` with the message. */
export const dataKeyFor = async (
  purpose: EncryptionContext,
  message: string,
): Promise<{ plain: Uint8Array; encrypted: Uint8Array }> => {
  try {
    return await newDataKey(env.dataKeyArn(), purpose);
  } catch (cause) {
    throw unavailable(message, cause);
  }
};

/** KMS raises these for a ciphertext of another purpose or an invalid one. Retrying does not help. */
const WRONG = new Set(["InvalidCiphertextException", "IncorrectKeyException"]);

/** The data key in clear. Raises `dependency_unavailable` with the message, and KMS's error for a wrong key. */
export const decryptedDataKey = async (
  encrypted: Uint8Array,
  purpose: EncryptionContext,
  message: string,
): Promise<Uint8Array> => {
  try {
    return await openDataKey(env.dataKeyArn(), encrypted, purpose);
  } catch (cause) {
    if (cause instanceof Error && WRONG.has(cause.name)) throw cause;
    throw unavailable(message, cause);
  }
};
