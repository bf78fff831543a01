import { createHash, randomBytes } from "node:crypto";

const COUNT = 10;

/** 120 random bits. From 112 bits on a fast hash is allowed (ASVS 5.0, 6.5.2). */
const LENGTH = 24;

/** 32 letters and digits without look-alikes, so that each stands for five random bits. */
const ALPHABET = "abcdefghijkmnpqrstuvwxyz23456789";

const newCode = (): string => {
  const letters = [...randomBytes(LENGTH)].map((byte) => ALPHABET[byte % ALPHABET.length]).join("");
  return letters.replace(/(.{4})(?=.)/g, "$1-");
};

/** Codes for a person who has lost their authenticator app. */
export const newRecoveryCodes = (): string[] => Array.from({ length: COUNT }, newCode);

/** Case, blanks and dashes do not matter. */
export const recoveryCodeHash = (code: string): string =>
  createHash("sha256")
    .update(code.toLowerCase().replaceAll(/[^a-z0-9]/g, ""))
    .digest("base64url");
