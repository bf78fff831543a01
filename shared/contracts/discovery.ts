import * as z from "zod";
import { defineContract } from "./contract.ts";

export const getJwks = defineContract({
  operation: "getJwks",
  area: "identity",
  method: "GET",
  path: "/.well-known/jwks.json",
  access: "public",
  summary: "The public keys of the access tokens",
  description:
    "A JWK Set (RFC 7517). May be cached for five minutes; fetch it again when a token names an unknown `kid`.",
  request: {},
  replies: {
    200: {
      description: "The keys; the one that signs now comes first.",
      body: z
        .object({
          keys: z.array(
            z.object({
              kty: z.literal("RSA"),
              kid: z.string().describe("Names the key in the header of a token."),
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
