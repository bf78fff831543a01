import { constants, createPublicKey, type KeyObject, privateEncrypt, sign } from "node:crypto";
import { promisify } from "node:util";
import { ServiceError } from "../sdk/call.ts";

const signAsync = promisify<string, Buffer, KeyObject, Buffer>(sign);

/** The DER prefix of a SHA-256 DigestInfo, RFC 8017 section 9.2. */
const digestInfo = Buffer.from("3031300d060960864801650304020105000420", "hex");

/** RSASSA-PKCS1-v1_5 with SHA-256 over a message of at most 4,096 bytes, or over the digest of one. */
export const signWith = (key: KeyObject, message: Buffer, messageType: "RAW" | "DIGEST"): Promise<Buffer> => {
  if (messageType === "RAW") {
    if (message.length > 4096) {
      throw new ServiceError("ValidationException", "A raw message has at most 4096 bytes; sign its digest instead.");
    }
    return signAsync("sha256", message, key);
  }
  if (message.length !== 32) throw new ServiceError("ValidationException", "Digest is invalid length for algorithm.");
  const padded = Buffer.concat([digestInfo, message]);
  return Promise.resolve(privateEncrypt({ key, padding: constants.RSA_PKCS1_PADDING }, padded));
};

export const publicKeyOf = (key: KeyObject): Buffer => createPublicKey(key).export({ type: "spki", format: "der" });
