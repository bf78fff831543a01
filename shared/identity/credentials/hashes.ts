import { createHash, timingSafeEqual } from "node:crypto";

/**
 * Of tokens, codes and secrets with 256 random bits, which need no salt and no slowness: only this is stored, so a copy of the
 * database signs nobody in.
 */
export const hashOf = (secret: string): string => createHash("sha256").update(secret).digest("base64url");

export const sameHash = (a: string, b: string): boolean =>
  a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
