import * as z from "zod";
import { defineContract } from "./contract.ts";
import { OAUTH_SCOPES } from "./oauth-bodies.ts";

export const getJwks = defineContract({
  operation: "getJwks",
  area: "identity",
  method: "GET",
  path: "/.well-known/jwks.json",
  access: "public",
  summary: "The public keys for access tokens",
  description:
    "A JWK Set (RFC 7517). May be cached for five minutes. Fetch it again when a token has an unknown `kid`.",
  request: {},
  replies: {
    200: {
      description: "The keys. The first one signs new tokens.",
      body: z
        .object({
          keys: z.array(
            z.object({
              kty: z.literal("RSA"),
              kid: z.string().describe("The key's id in the header of tokens."),
              alg: z.literal("RS256"),
              use: z.literal("sig"),
              n: z.string().describe("The modulus, base64url."),
              e: z.string().describe("The exponent, base64url."),
            }),
          ),
        })
        .meta({ id: "JsonWebKeySet" }),
      headers: { "cache-control": "`public, max-age=300`" },
    },
  },
  faults: [],
});

const listOf = (...values: readonly string[]) => z.array(z.enum(values)).describe(`Always ${values.join(", ")}.`);

export const getAuthorizationServer = defineContract({
  operation: "getAuthorizationServer",
  area: "identity",
  method: "GET",
  path: "/.well-known/oauth-authorization-server",
  access: "public",
  summary: "Authorization server metadata",
  description: "Metadata for OAuth libraries (RFC 8414). May be cached for five minutes.",
  request: {},
  replies: {
    200: {
      description: "The metadata.",
      body: z
        .object({
          issuer: z.string().describe("The platform's public base URL, as in its tokens."),
          authorization_endpoint: z.string().describe("The authorization endpoint, for browsers."),
          token_endpoint: z.string().describe("The token endpoint."),
          jwks_uri: z.string().describe("The public keys for access tokens."),
          scopes_supported: listOf(...OAUTH_SCOPES),
          response_types_supported: listOf("code"),
          response_modes_supported: listOf("query"),
          grant_types_supported: listOf("authorization_code", "refresh_token", "client_credentials"),
          token_endpoint_auth_methods_supported: listOf("client_secret_basic", "client_secret_post", "none"),
          code_challenge_methods_supported: listOf("S256"),
          authorization_response_iss_parameter_supported: z.literal(true).describe("RFC 9207."),
          service_documentation: z.string().describe("The API reference."),
        })
        .meta({ id: "AuthorizationServerMetadata" }),
      headers: { "cache-control": "`public, max-age=300`" },
    },
  },
  faults: [],
});
