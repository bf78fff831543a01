import { Fault } from "../../faults.ts";
import { base, type OAuthClient } from "../../tenant/tenant.ts";
import type { Browser } from "../browser-sessions.ts";
import { demandEntry } from "../membership.ts";
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

const refuse = (redirect_uri: string, refusal: AuthorizationRefusal, { state }: BrowserRequest) => ({
  refused: redirectWithRefusal(redirect_uri, refusal, state),
});

const organizationOf = async ({ organization_id }: OAuthClient): Promise<AskedAuthorization["organization"]> => {
  if (organization_id === null) return null;
  const { organizations } = await base();
  const entry = await organizations.findOne({ _id: organization_id }, { projection: { name: 1 } });
  return { id: organization_id, name: entry?.name ?? "" };
};

/**
 * What the request asks for, or where the browser takes the news that it cannot be had (RFC 6749 §4.1.2.1).
 * Raises `invalid_request` if it is not certain who asks: then nothing may be sent anywhere.
 */
export const readAuthorization = async (
  request: BrowserRequest,
): Promise<{ readonly asked: AskedAuthorization } | { readonly refused: string }> => {
  const { client, redirect_uri } = await askedBy(known(request));
  if (request.response_type !== "code") {
    const error = request.response_type === undefined ? "invalid_request" : "unsupported_response_type";
    return refuse(redirect_uri, { error, error_description: "The response_type must be code." }, request);
  }
  try {
    const scopes = namesOf(askedScope(client, known(request)));
    return { asked: { app: client.name, organization: await organizationOf(client), redirect_uri, scopes } };
  } catch (error) {
    return refuse(redirect_uri, refusalOf(error), request);
  }
};

/**
 * Lets the app act for who is signed in in the browser; answers where the browser takes the code.
 * Raises `not_a_member` and `second_factor_required` if they cannot work in the organization.
 */
export const allow = async (browser: Browser, organization_id: string, request: BrowserRequest): Promise<string> => {
  const { id, organizations, second_factor } = browser;
  if (organizations.every((one) => one.id !== organization_id)) throw new Fault("not_a_member");
  await demandEntry(organization_id, browser);
  return (await authorize({ id, organization_id, second_factor }, known(request))).redirect_url;
};

/** Where the browser takes the news that the person does not want it. */
export const deny = ({ redirect_uri }: AskedAuthorization, { state }: BrowserRequest): string =>
  redirectWithRefusal(redirect_uri, { error: "access_denied", error_description: "The person has said no." }, state);
