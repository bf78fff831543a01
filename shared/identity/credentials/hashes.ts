import { createHash } from "node:crypto";

/**
 * The hash of a token, code or secret of 256 random bits, which needs no salt and no slow hash function. Only the hash
 * is stored, so a copy of the database cannot be used to sign in.
 */
export const hashOf = (secret: string): string => createHash("sha256").update(secret).digest("base64url");
