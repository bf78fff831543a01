import { Fault } from "#shared/foundation/faults";
import { base, type OAuthClient } from "#shared/tenant/tenant";
import type { Browser } from "../sessions/browser-sessions.ts";
import { demandMembership } from "../sessions/membership.ts";
import { type AuthorizationRequest, askedBy, askedScope, authorize } from "./authorize.ts";
import { invalidRequest } from "./errors.ts";
import { type AuthorizationRefusal, redirectWithRefusal } from "./redirects.ts";
import { namesOf } from "./scopes.ts";

/** An authorization request as a browser brings it. */
export interface BrowserRequest extends Omit<AuthorizationRequest, "client_id"> {
  readonly client_id?: string | undefined;
  readonly response_type?: string | undefined;
}

/** What an app asks a person for. */
export interface AskedAuthorization {
  readonly app: string;
  /** The organization that the app belongs to; null for the platform's own, which work in any. */
  readonly organization: { readonly id: string; readonly name: string } | null;
  readonly redirect_uri: string;
  readonly scopes: readonly string[];
  /** Why the app cannot have it. It is told once the person has signed in and has seen where they are sent; null if it can. */
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

/** The scopes that are asked for, or what is wrong with the request. */
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
 * What the request asks for, and whether that can be had. Anybody can register a client, so what is wrong with a request sends
 * nobody to the client's address by itself (RFC 9700 §4.11.2).
 * Raises `invalid_request` if it is not certain who asks: then nothing may be sent anywhere.
 */
export const readAuthorization = async (request: BrowserRequest): Promise<AskedAuthorization> => {
  const { client, redirect_uri } = await askedBy(known(request));
  const organization = await organizationOf(client);
  return { app: client.name, organization, redirect_uri, ...scopesOf(client, request) };
};

/**
 * Lets the app act for who is signed in in the browser; answers where the browser takes the code.
 * Raises `not_a_member` and `second_factor_required` if they cannot work in the organization.
 */
export const allow = async (browser: Browser, organization_id: string, request: BrowserRequest): Promise<string> => {
  const { id, organizations, second_factor } = browser;
  if (organizations.every((one) => one.id !== organization_id)) throw new Fault("not_a_member");
  await demandMembership(organization_id, browser);
  return (await authorize({ id, organization_id, second_factor }, known(request))).redirect_url;
};

const SAID_NO: AuthorizationRefusal = { error: "access_denied", error_description: "The person has said no." };

/** Where the browser takes the news that nothing comes of it (RFC 6749 §4.1.2.1): by the person's wish, or of itself. */
export const deny = ({ redirect_uri, refusal }: AskedAuthorization, { state }: BrowserRequest): string =>
  redirectWithRefusal(redirect_uri, refusal ?? SAID_NO, state);
