import { randomBytes, verify } from "node:crypto";
import { v7 as uuidv7 } from "uuid";
import * as z from "zod";
import { signWith } from "../aws/kms.ts";
import { boundedCache } from "../bounded-cache.ts";
import { nowSeconds } from "../clock.ts";
import { env } from "../env.ts";
import { trustedKey, trustedKeys } from "./keys.ts";

export const ACCESS_TOKEN_SECONDS = 900;

const accessClaims = z.object({
  iss: z.string(),
  aud: z.string(),
  sub: z.string(),
  org: z.string(),
  email: z.string(),
  sid: z.string(),
  scope: z.string(),
  /** Of a client that acts alone: the administrator who answers for it. */
  responsible: z.string().optional(),
  iat: z.int(),
  exp: z.int(),
  jti: z.string(),
  typ: z.literal("access"),
});

export type AccessClaims = z.infer<typeof accessClaims>;

const header = z.object({ alg: z.literal("RS256"), typ: z.literal("JWT"), kid: z.string() });

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");

const decode = (part: string): unknown => {
  try {
    return JSON.parse(Buffer.from(part, "base64url").toString("utf8"));
  } catch {
    return undefined;
  }
};

/** Keyed by the whole token, signature included: a changed byte is another key and is verified afresh. */
const verifiedTokens = boundedCache<AccessClaims>({ mostBytes: 8 * 1024 * 1024 });

/** Signs an access token with KMS; only functions whose role holds kms:Sign can. */
export const issueAccessToken = async (
  who: Pick<AccessClaims, "sub" | "org" | "email" | "sid" | "scope" | "responsible">,
): Promise<string> => {
  const [signingKey] = await trustedKeys();
  if (signingKey === undefined) throw new Error("No signing key is configured.");
  const iat = nowSeconds();
  const claims: AccessClaims = {
    iss: env.issuer(),
    aud: env.issuer(),
    ...who,
    iat,
    exp: iat + ACCESS_TOKEN_SECONDS,
    jti: uuidv7(),
    typ: "access",
  };
  const signed = `${encode({ alg: "RS256", typ: "JWT", kid: signingKey.kid })}.${encode(claims)}`;
  const signature = await signWith(signingKey.kid, Buffer.from(signed));
  return `${signed}.${Buffer.from(signature).toString("base64url")}`;
};

const parse = async (token: string): Promise<AccessClaims | null> => {
  const parts = token.split(".");
  const [head, body, signature] = parts;
  if (parts.length !== 3 || head === undefined || body === undefined || signature === undefined) return null;
  const declared = header.safeParse(decode(head));
  if (!declared.success) return null;
  const key = await trustedKey(declared.data.kid);
  if (key === undefined) return null;
  const sealed = verify("sha256", Buffer.from(`${head}.${body}`), key.key, Buffer.from(signature, "base64url"));
  if (!sealed) return null;
  const claims = accessClaims.safeParse(decode(body));
  if (!claims.success || claims.data.iss !== env.issuer() || claims.data.aud !== env.issuer()) return null;
  return claims.data;
};

/**
 * The claims of a valid access token of ours, else null: wrong signature, key, issuer, audience, kind or time.
 * A token that was verified once in this execution environment is not verified again before it expires.
 */
export const verifyAccessToken = async (token: string): Promise<AccessClaims | null> => {
  const known = verifiedTokens.get(token);
  const claims = known ?? (await parse(token));
  if (claims === null) return null;
  const seconds = nowSeconds();
  if (claims.exp <= seconds || claims.iat > seconds + 60) {
    verifiedTokens.delete(token);
    return null;
  }
  if (known === undefined) verifiedTokens.set(token, claims);
  return claims;
};

const rsaKey = z.object({ kty: z.literal("RSA"), n: z.string(), e: z.string() });

export type JsonWebKey = z.infer<typeof rsaKey> & { kid: string; alg: "RS256"; use: "sig" };

/** The public keys in JWK form (RFC 7517), the signing one first. */
export const jsonWebKeys = async (): Promise<JsonWebKey[]> =>
  (await trustedKeys()).map(({ kid, key }) => ({
    ...rsaKey.parse(key.export({ format: "jwk" })),
    kid,
    alg: "RS256",
    use: "sig",
  }));

/** An opaque token of 256 random bits with a prefix that tells people and secret scanners what it is. */
export const opaqueToken = (prefix: string): string => `${prefix}_${randomBytes(32).toString("base64url")}`;
