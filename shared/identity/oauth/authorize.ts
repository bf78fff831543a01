import { codeChallenge } from "#contracts/oauth-bodies";
import { now, nowMillis } from "#shared/foundation/clock";
import { env } from "#shared/foundation/env";
import { opaqueToken } from "#shared/foundation/tokens/tokens";
import { type AuthorizationCode, base, type Caller, type OAuthClient } from "#shared/tenant/tenant";
import { hashOf } from "../credentials/hashes.ts";
import { clientOf } from "./clients.ts";
import { invalidRequest } from "./errors.ts";
import { isRegistered, redirectWithCode } from "./redirects.ts";
import { grantedScope } from "./scopes.ts";

/** Lifetime of a code (RFC 6749 §4.1.2 recommends at most ten minutes). */
const CODE_MS = 60_000;

/** RFC 6749 §4.1.1, RFC 7636 §4.3. */
export interface AuthorizationRequest {
  readonly client_id: string;
  readonly redirect_uri?: string | undefined;
  readonly state?: string | undefined;
  readonly scope?: string | undefined;
  readonly code_challenge?: string | undefined;
  readonly code_challenge_method?: string | undefined;
}

/** RFC 6749 §3.1.2.3: may be left out if there is only one. */
const redirectOf = (client: OAuthClient, asked: string | undefined): string => {
  const [only, ...others] = client.redirect_uris;
  if (asked === undefined) {
    if (only !== undefined && others.length === 0) return only;
    throw invalidRequest("The redirect_uri is missing.");
  }
  if (!isRegistered(asked, client.redirect_uris)) throw invalidRequest("This redirect_uri is not registered.");
  return asked;
};

/** The client and the redirect URI. Without both no redirect is allowed. Raises `invalid_request`. */
export const askedBy = async (
  request: AuthorizationRequest,
  organizationId?: string,
): Promise<{ client: OAuthClient; redirect_uri: string }> => {
  const client = await clientOf(request.client_id, organizationId);
  return { client, redirect_uri: redirectOf(client, request.redirect_uri) };
};

/** RFC 9700 §2.1.1: a public client must use PKCE. */
const refuseWithoutProof = (client: OAuthClient, request: AuthorizationRequest): void => {
  const { code_challenge, code_challenge_method } = request;
  if (client.type === "public" && code_challenge === undefined) {
    throw invalidRequest("A public client must send a code_challenge (PKCE, S256).");
  }
  if (code_challenge !== undefined && code_challenge_method !== "S256") {
    throw invalidRequest("The code_challenge_method must be S256.");
  }
  if (code_challenge !== undefined && !codeChallenge.safeParse(code_challenge).success) {
    throw invalidRequest("The code_challenge must be the base64url SHA-256 of the verifier (43 characters).");
  }
};

/** The scope that the client would be granted. Raises `invalid_request` and `invalid_scope`. */
export const askedScope = (client: OAuthClient, request: AuthorizationRequest): string => {
  refuseWithoutProof(client, request);
  return grantedScope(request.scope, client.scopes);
};

/**
 * Authorizes an app to act for a person in the organization. Answers a code for one exchange within a minute.
 * Raises `invalid_request` and `invalid_scope`.
 */
export const authorize = async (
  person: Pick<Caller, "id" | "organization_id" | "second_factor">,
  request: AuthorizationRequest,
): Promise<{ redirect_url: string; code: string }> => {
  const { client, redirect_uri } = await askedBy(request, person.organization_id);
  const scope = askedScope(client, request);
  const code = opaqueToken("tac");
  const document: AuthorizationCode = {
    _id: hashOf(code),
    client_id: client._id,
    user_id: person.id,
    organization_id: person.organization_id,
    redirect_uri,
    redirect_uri_given: request.redirect_uri !== undefined,
    scope,
    second_factor: person.second_factor,
    code_challenge: request.code_challenge ?? null,
    session_id: null,
    created_date: now(),
    expires_at: new Date(nowMillis() + CODE_MS),
  };
  const { authorizationCodes } = await base();
  await authorizationCodes.insertOne(document);
  return { redirect_url: redirectWithCode(redirect_uri, code, request.state), code };
};

/** The address where the browser asks for a code. Errors of the request are raised here. */
export const authorizationUrl = async (request: AuthorizationRequest): Promise<string> => {
  const { client } = await askedBy(request);
  refuseWithoutProof(client, { ...request, code_challenge_method: "S256" });
  const url = new URL(`${env.issuer()}/v1/oauth2/authorize`);
  // The redirect_uri only if the app has named it: it must then be repeated at the exchange (RFC 6749 §4.1.3).
  const { redirect_uri, state, code_challenge } = request;
  const parameters = { response_type: "code", client_id: client._id, redirect_uri, state, code_challenge };
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) url.searchParams.set(name, value);
  if (code_challenge !== undefined) url.searchParams.set("code_challenge_method", "S256");
  return url.href;
};
