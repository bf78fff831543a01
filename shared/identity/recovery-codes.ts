import { createHash, randomBytes } from "node:crypto";

const COUNT = 10;
const LENGTH = 16;

/** No letter or digit that could be taken for another one; 32 of them, so that each stands for five random bits. */
const ALPHABET = "abcdefghijkmnpqrstuvwxyz23456789";

const newCode = (): string => {
  const letters = [...randomBytes(LENGTH)].map((byte) => ALPHABET[byte % ALPHABET.length]).join("");
  return letters.replace(/(.{4})(?=.)/g, "$1-");
};

/** Codes for whoever has lost their authenticator app. With 80 random bits each, a plain hash is enough. */
export const newRecoveryCodes = (): string[] => Array.from({ length: COUNT }, newCode);

/** Case, blanks and dashes do not matter. */
export const recoveryCodeHash = (code: string): string =>
  createHash("sha256")
    .update(code.toLowerCase().replaceAll(/[^a-z0-9]/g, ""))
    .digest("base64url");
