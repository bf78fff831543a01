import { Fault } from "#shared/foundation/faults";
import { base, type OAuthClient } from "#shared/tenant/tenant";
import type { Browser } from "../sessions/browser-sessions.ts";
import { demandMembership } from "../sessions/membership.ts";
import { type AuthorizationRequest, askedBy, askedScope, authorize } from "./authorize.ts";
import { invalidRequest } from "./errors.ts";
import { type AuthorizationRefusal, redirectWithRefusal } from "./redirects.ts";
import { namesOf } from "./scopes.ts";

/** An authorization request from a browser. */
export interface BrowserRequest extends Omit<AuthorizationRequest, "client_id"> {
  readonly client_id?: string | undefined;
  readonly response_type?: string | undefined;
}

/** What an app asks a person for. */
export interface AskedAuthorization {
  readonly app: string;
  /** The organization that the app belongs to. Null for the platform's own, which work in any. */
  readonly organization: { readonly id: string; readonly name: string } | null;
  readonly redirect_uri: string;
  readonly scopes: readonly string[];
  /**
   * Why the request is refused, or null. The app is told after the person has signed in and has seen where they are
   * sent.
   */
  readonly refusal: AuthorizationRefusal | null;
}

const known = (request: BrowserRequest): AuthorizationRequest => {
  if (!request.client_id) throw invalidRequest("The client_id is missing.");
  return { ...request, client_id: request.client_id };
};

const refusalOf = (error: unknown): AuthorizationRefusal => {
  if (!(error instanceof Fault)) throw error;
  const { code, message: error_description } = error;
  if (code === "invalid_request" || code === "invalid_scope") return { error: code, error_description };
  throw error;
};

const organizationOf = async ({ organization_id }: OAuthClient): Promise<AskedAuthorization["organization"]> => {
  if (organization_id === null) return null;
  const { organizations } = await base();
  const entry = await organizations.findOne({ _id: organization_id }, { projection: { name: 1 } });
  return { id: organization_id, name: entry?.name ?? "" };
};

const WRONG_TYPE = "The response_type must be code.";

/** The requested scopes, or why they are refused. */
const scopesOf = (client: OAuthClient, request: BrowserRequest): Pick<AskedAuthorization, "scopes" | "refusal"> => {
  if (request.response_type !== "code") {
    const error = request.response_type === undefined ? "invalid_request" : "unsupported_response_type";
    return { scopes: [], refusal: { error, error_description: WRONG_TYPE } };
  }
  try {
    return { scopes: namesOf(askedScope(client, known(request))), refusal: null };
  } catch (error) {
    return { scopes: [], refusal: refusalOf(error) };
  }
};

/**
 * Reads an authorization request. Anybody can register a client, so an error in the request does not redirect to the
 * client without the person's action (RFC 9700 §4.11.2). Raises `invalid_request` for an unknown client or redirect
 * URI, for which no redirect is allowed at all.
 */
export const readAuthorization = async (request: BrowserRequest): Promise<AskedAuthorization> => {
  const { client, redirect_uri } = await askedBy(known(request));
  const organization = await organizationOf(client);
  return { app: client.name, organization, redirect_uri, ...scopesOf(client, request) };
};

/**
 * Authorizes the app for the person who is signed in in the browser. Answers the redirect with the code.
 * Raises `not_a_member` and `second_factor_required` if they cannot work in the organization.
 */
export const allow = async (browser: Browser, organization_id: string, request: BrowserRequest): Promise<string> => {
  const { id, organizations, second_factor } = browser;
  if (organizations.every((one) => one.id !== organization_id)) throw new Fault("not_a_member");
  await demandMembership(organization_id, browser);
  return (await authorize({ id, organization_id, second_factor }, known(request))).redirect_url;
};

const SAID_NO: AuthorizationRefusal = { error: "access_denied", error_description: "The person has said no." };

/** The redirect with the refusal (RFC 6749 §4.1.2.1): the person's, or the one of the request. */
export const deny = ({ redirect_uri, refusal }: AskedAuthorization, { state }: BrowserRequest): string =>
  redirectWithRefusal(redirect_uri, refusal ?? SAID_NO, state);
