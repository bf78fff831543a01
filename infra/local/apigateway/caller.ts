import { createHash } from "node:crypto";
import * as z from "zod";

const claims = z.looseObject({ org: z.string().max(100) });

/**
 * On whose behalf a request comes, as its bearer token says: the `org` of a JSON web token, else the token itself. Nobody
 * has looked at the signature: it decides whose requests wait for each other on this machine, and nothing else.
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
