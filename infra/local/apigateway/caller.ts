import { createHash } from "node:crypto";
import * as z from "zod";

const claims = z.looseObject({ org: z.string().max(100) });

/**
 * The caller of a request from its bearer token: the `org` of a JSON web token, else the token itself. The signature is
 * not verified, because the caller only decides the order in which local requests wait.
 */
export const callerOf = (authorization: string | undefined): string | undefined => {
  if (authorization === undefined) return undefined;
  const payload = /^Bearer +[^.]+\.([^.]+)\./i.exec(authorization)?.[1];
  if (payload !== undefined) {
    try {
      return claims.parse(JSON.parse(Buffer.from(payload, "base64url").toString("utf8"))).org;
    } catch {
      // Another kind of token.
    }
  }
  return createHash("sha256").update(authorization).digest("base64url");
};
