import * as z from "zod";
import { id } from "./common.ts";
import { defineContract } from "./contract.ts";
import { askedRedirectUri, clientId, codeChallenge, oauthToken, scopeText, state } from "./oauth-bodies.ts";

export const authorize = defineContract({
  operation: "authorize",
  area: "identity",
  method: "POST",
  path: "/v1/oauth2/authorize",
  access: "user",
  refusesApps: true,
  oauth: true,
  summary: "Let an app act on one's behalf",
  description:
    "Gives a code for an app, to be exchanged at `token` once, within a minute. The app then acts for the caller " +
    "in the organization that is active now, within the scope, and never as a superuser. Public clients must " +
    "send a PKCE challenge (S256).",
  request: {
    body: z
      .object({
        client_id: clientId,
        redirect_uri: askedRedirectUri.optional(),
        response_type: z.literal("code"),
        state: state.optional(),
        scope: scopeText.optional(),
        code_challenge: codeChallenge.optional(),
        code_challenge_method: z.string().max(20).optional().describe("`S256`."),
      })
      .meta({ id: "OauthAuthorizeInput" }),
  },
  replies: {
    200: {
      description: "The code.",
      body: z
        .object({
          redirect_url: z.string().describe("The redirect URI with `code`, `state` and `iss` (RFC 9207)."),
          code: z.string().describe("The code alone."),
        })
        .meta({ id: "AuthorizationCode" }),
    },
  },
  faults: ["invalid_request", "invalid_scope"],
});

export const getCodeUrl = defineContract({
  operation: "getCodeUrl",
  area: "identity",
  method: "POST",
  path: "/v1/oauth2/code",
  access: "public",
  oauth: true,
  summary: "Get the URL of the authorization page",
  description: "Checks the client and its redirect URI first, so that the app sees a mistake and not its users.",
  request: {
    body: z
      .object({
        client_id: clientId,
        state: state.optional(),
        code_challenge: codeChallenge.optional(),
        redirect_uri: askedRedirectUri.optional(),
      })
      .meta({ id: "OauthCodeInput" }),
  },
  replies: {
    200: {
      description: "The address.",
      body: z.object({ code_url: z.string().describe("Open it in the person's browser.") }).meta({ id: "CodeUrl" }),
    },
  },
  faults: ["invalid_request", "database_unavailable"],
});

const parameter = z.string().max(4096).optional();

export const issueToken = defineContract({
  operation: "issueToken",
  area: "identity",
  method: "POST",
  path: "/v1/oauth2/token",
  access: "public",
  oauth: true,
  summary: "Tokens for an app",
  description:
    "The token endpoint of OAuth 2.0 (RFC 6749). A confidential client sends its secret in the body or by HTTP " +
    "Basic. A refresh token is replaced at each use. Used again within 30 seconds it gives the same successor; " +
    "used later it ends the whole grant. An app that was authorized from a session without a second factor gets " +
    "no token for an organization that requires one. Errors have `error` and `error_description` too.",
  request: {
    bodyTypes: ["application/json", "application/x-www-form-urlencoded"],
    headers: z.object({
      authorization: z.string().max(4096).optional().describe("HTTP Basic with the client's id and secret."),
    }),
    body: z
      .object({
        grant_type: z
          .string()
          .max(200)
          .describe("`authorization_code`, `refresh_token` or `client_credentials`.")
          .meta({ examples: ["client_credentials"] }),
        client_id: parameter.describe("Required unless HTTP Basic is used."),
        client_secret: parameter.describe("For a confidential client, unless HTTP Basic is used."),
        code: parameter.describe("With `authorization_code`."),
        redirect_uri: parameter.describe("With `authorization_code`: the same as in the authorization request."),
        code_verifier: parameter.describe("With `authorization_code`: the PKCE verifier."),
        refresh_token: parameter.describe("With `refresh_token`."),
        scope: scopeText.optional(),
        run_as: id.optional().describe("With `client_credentials`: the user as whom the client is registered to act."),
      })
      .meta({ id: "OauthRequestToken" }),
  },
  replies: { 200: { description: "The tokens.", body: oauthToken } },
  faults: [
    "invalid_request",
    "invalid_client",
    "invalid_grant",
    "invalid_scope",
    "unauthorized_client",
    "unsupported_grant_type",
    "database_unavailable",
  ],
});
