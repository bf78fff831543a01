import { createHash } from "node:crypto";

/** A hash as key, so that emails and addresses are not stored, also for emails without an account. */
export const attemptKey = (kind: "pair" | "account" | "code" | "reset", ...parts: readonly string[]): string =>
  createHash("sha256")
    .update(JSON.stringify([kind, ...parts]))
    .digest("base64url");
