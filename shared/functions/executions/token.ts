import { createHash, randomBytes } from "node:crypto";
import { isSameSecret } from "#shared/foundation/constant-time";

/** `<organization>.<execution>.<secret>`. Whoever has it may call the platform as this execution does. */
const TOKEN = /^([a-z0-9_]{1,60})\.([0-9a-f-]{36})\.([A-Za-z0-9_-]{43})$/;

const hashOf = (secret: string): string => createHash("sha256").update(secret).digest("base64url");

/** The token of an `Authorization` header; empty if it has none. */
export const bearerToken = (authorization = ""): string => /^Bearer +(\S+)$/i.exec(authorization)?.[1] ?? "";

export interface IssuedToken {
  readonly token: string;
  /** All that is stored of it. */
  readonly hash: string;
}

export const issueToken = (organizationId: string, executionId: string): IssuedToken => {
  const secret = randomBytes(32).toString("base64url");
  return { token: `${organizationId}.${executionId}.${secret}`, hash: hashOf(secret) };
};

export interface TokenParts {
  readonly organizationId: string;
  readonly executionId: string;
  readonly secret: string;
}

export const tokenParts = (token: string): TokenParts | null => {
  const [, organizationId, executionId, secret] = TOKEN.exec(token) ?? [];
  if (organizationId === undefined || executionId === undefined || secret === undefined) return null;
  return { organizationId, executionId, secret };
};

/** Compares in constant time. */
export const isSecretOf = (secret: string, hash: string | undefined): boolean =>
  hash !== undefined && isSameSecret(hashOf(secret), hash);
