import { type KeyObject, randomBytes } from "node:crypto";
import { errors, type JWTHeaderParameters, jwtVerify } from "jose";
import { v7 as uuidv7 } from "uuid";
import * as z from "zod";
import { signWith } from "../aws/kms.ts";
import { boundedCache } from "../bounded-cache.ts";
import { now, nowSeconds } from "../clock.ts";
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
  /** For a client that acts alone: its responsible administrator. */
  responsible: z.string().optional(),
  iat: z.int(),
  exp: z.int(),
  jti: z.string(),
  typ: z.literal("access"),
});

export type AccessClaims = z.infer<typeof accessClaims>;

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");

/** The key is the whole token with its signature, so that a changed token is verified again. */
const verifiedTokens = boundedCache<AccessClaims>({ mostBytes: 8 * 1024 * 1024 });

/** Signs an access token with KMS. Only functions with the permission kms:Sign can do it. */
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

/** Why a token is refused. It is logged; the caller learns only that the token is not valid. */
export type TokenRefusal =
  | "malformed"
  | "wrong_algorithm"
  | "unknown_key"
  | "wrong_signature"
  | "wrong_issuer"
  | "wrong_audience"
  | "wrong_kind"
  | "expired"
  | "issued_in_future";

export type VerifiedToken =
  | { readonly claims: AccessClaims; readonly refusal?: undefined }
  | { readonly claims?: undefined; readonly refusal: TokenRefusal };

/** A clock that issued the token may be ahead of this one by so much. */
const CLOCK_SKEW_SECONDS = 60;

const keyOf = async ({ kid = "" }: JWTHeaderParameters): Promise<KeyObject> => {
  const known = await trustedKey(kid);
  if (known === undefined) throw new errors.JWKSNoMatchingKey();
  return known.key;
};

const refusalOf = (error: unknown): TokenRefusal => {
  if (error instanceof errors.JWTExpired) return "expired";
  if (error instanceof errors.JWKSNoMatchingKey) return "unknown_key";
  if (error instanceof errors.JWSSignatureVerificationFailed) return "wrong_signature";
  if (error instanceof errors.JOSEAlgNotAllowed) return "wrong_algorithm";
  if (error instanceof errors.JWTClaimValidationFailed) {
    if (error.claim === "iss") return "wrong_issuer";
    return error.claim === "aud" ? "wrong_audience" : "malformed";
  }
  if (error instanceof errors.JOSEError) return "malformed";
  // The keys could not be read: the token may be valid.
  throw error;
};

const verifyNew = async (token: string): Promise<VerifiedToken> => {
  try {
    const issuer = env.issuer();
    const checks = { algorithms: ["RS256"], typ: "JWT", issuer, audience: issuer, currentDate: now() };
    const { payload } = await jwtVerify(token, keyOf, checks);
    const claims = accessClaims.safeParse(payload);
    return claims.success ? { claims: claims.data } : { refusal: "wrong_kind" };
  } catch (error) {
    return { refusal: refusalOf(error) };
  }
};

/**
 * The claims of a valid access token of the platform, or why it is refused. A token that was verified once in this
 * execution environment is not verified again before it expires. Raises the error of KMS if no key can be read.
 */
export const verifyAccessToken = async (token: string): Promise<VerifiedToken> => {
  const known = verifiedTokens.get(token);
  const verified = known === undefined ? await verifyNew(token) : { claims: known };
  if (verified.claims === undefined) return verified;
  const { exp, iat } = verified.claims;
  const seconds = nowSeconds();
  const refusal = exp <= seconds ? "expired" : iat > seconds + CLOCK_SKEW_SECONDS ? "issued_in_future" : undefined;
  if (refusal !== undefined) {
    verifiedTokens.delete(token);
    return { refusal };
  }
  if (known === undefined) verifiedTokens.set(token, verified.claims);
  return verified;
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

/** An opaque token of 256 random bits. The prefix tells people and secret scanners what it is. */
export const opaqueToken = (prefix: string): string => `${prefix}_${randomBytes(32).toString("base64url")}`;
