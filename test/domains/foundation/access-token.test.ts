import { createHmac } from "node:crypto";
import { beforeAll, expect, inject, it } from "vitest";
import { verifyAccessToken } from "#shared/foundation/tokens/tokens";
import { forge } from "../../platform.ts";
import { type Claims, headerOf } from "../../setup/forge-token.ts";

const platform = inject("platform");
const key = (name: string): string => `alias/tenantry-${platform.stage}-signing-${name}`;
const seconds = Math.floor(Date.now() / 1000);
const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");

const claims: Claims = {
  iss: platform.url,
  aud: platform.url,
  sub: "user",
  org: "org_0123456789abcdef",
  email: "person@example.test",
  sid: "session",
  scope: "all",
  iat: seconds,
  exp: seconds + 900,
  jti: "token",
  typ: "access",
};

beforeAll(() => {
  Object.assign(process.env, {
    ISSUER: platform.url,
    SIGNING_KEY_ALIASES: `${key("a")},${key("b")}`,
    AWS_REGION: platform.region,
    AWS_ENDPOINT_URL: platform.awsEndpoint,
    AWS_ACCESS_KEY_ID: platform.credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: platform.credentials.secretAccessKey,
    AWS_SESSION_TOKEN: platform.credentials.sessionToken,
  });
});

it("an access token of the platform is verified and gives its claims, also a second time", async () => {
  const token = await forge.sign(claims);
  expect(await verifyAccessToken(token)).toEqual({ claims });
  expect(await verifyAccessToken(token)).toEqual({ claims });
});

it.each<[string, string, Claims, Claims?]>([
  ["expired", "an expired token", { iat: seconds - 1000, exp: seconds }],
  ["issued_in_future", "a token issued more than a minute from now", { iat: seconds + 120, exp: seconds + 1000 }],
  ["wrong_kind", "a token of another kind", { typ: "document" }],
  ["wrong_kind", "a token without an organization", { org: undefined }],
  ["wrong_kind", "a token without an expiry", { exp: undefined }],
  ["wrong_issuer", "a token of another issuer", { iss: "https://elsewhere.example" }],
  ["wrong_audience", "a token for another audience", { aud: "https://elsewhere.example" }],
  ["malformed", "a token whose expiry is no number", { exp: "never" }],
  ["malformed", "a token of another media type", {}, { typ: "at+jwt" }],
  ["malformed", "a token with an unknown critical header", {}, { crit: ["exp-check"], "exp-check": true }],
  ["unknown_key", "a token with an unknown key", {}, { kid: "00000000-0000-0000-0000-000000000000" }],
  ["unknown_key", "a token without a key", {}, { kid: undefined }],
])("answers %s for %s", async (refusal, _, changes, header = {}) => {
  expect(await verifyAccessToken(await forge.sign({ ...claims, ...changes }, header))).toEqual({ refusal });
});

it("a token is refused when its signature, its algorithm or its form is wrong", async () => {
  const token = await forge.sign(claims);
  const [head = "", body = "", signature = ""] = token.split(".");
  const hmacText = `${encode({ ...headerOf(token), alg: "HS256" })}.${body}`;
  const hmac = createHmac("sha256", await forge.publicKey())
    .update(hmacText)
    .digest("base64url");
  const refused = async (text: string): Promise<string | undefined> => (await verifyAccessToken(text)).refusal;
  expect({
    "changed claims": await refused(`${head}.${encode({ ...claims, sub: "owner" })}.${signature}`),
    "a changed signature": await refused(`${head}.${body}.${signature.slice(0, -6)}AAAAAA`),
    "an empty signature": await refused(`${head}.${body}.`),
    "the public key as a secret": await refused(`${hmacText}.${hmac}`),
    "no algorithm": await refused(`${encode({ alg: "none", typ: "JWT" })}.${body}.`),
    "two parts": await refused(`${head}.${body}`),
    "four parts": await refused(`${token}.${signature}`),
    "no parts": await refused("abc"),
  }).toEqual({
    "changed claims": "wrong_signature",
    "a changed signature": "wrong_signature",
    "an empty signature": "wrong_signature",
    "the public key as a secret": "wrong_algorithm",
    "no algorithm": "wrong_algorithm",
    "two parts": "malformed",
    "four parts": "malformed",
    "no parts": "malformed",
  });
});
