import { REFERENCE_CLIENT_ID, REFERENCE_SIGNED_IN_PATH } from "#contracts/reference-script";
import { isSameSecret } from "#shared/foundation/constant-time";
import { env } from "#shared/foundation/env";
import { Fault } from "#shared/foundation/faults";
import { base, COMMAND_LINE_CLIENT_ID, type OAuthClient } from "#shared/tenant/tenant";
import { hashOf } from "../credentials/hashes.ts";
import { invalidClient, invalidRequest } from "./errors.ts";

/** The command line belongs to the platform and to no organization. Its user signs in as themselves. */
const commandLine: OAuthClient = {
  _id: COMMAND_LINE_CLIENT_ID,
  organization_id: null,
  name: "Tenantry command line",
  type: "public",
  secret_hash: null,
  redirect_uris: ["http://127.0.0.1/callback", "http://[::1]/callback"],
  scopes: ["all"],
  run_as: null,
  created_by: null,
  created_date: new Date(0),
};

/** The API reference at `/docs` belongs to the platform too. Its user signs in as themselves. */
const apiReference = (): OAuthClient => ({
  ...commandLine,
  _id: REFERENCE_CLIENT_ID,
  name: "Tenantry API reference",
  redirect_uris: [`${env.issuer()}${REFERENCE_SIGNED_IN_PATH}`],
  scopes: ["all", "read", "write", "admin", "sensitive:read"],
});

export const findClient = async (id: string): Promise<OAuthClient | null> => {
  if (id === commandLine._id) return commandLine;
  if (id === REFERENCE_CLIENT_ID) return apiReference();
  const { oauthClients } = await base();
  return oauthClients.findOne({ _id: id });
};

/** Whether a person acts directly: without a client or through the command line, not through an organization's app. */
export const isPersons = (clientId: string | null): boolean => clientId === null || clientId === commandLine._id;

export interface ClientCredentials {
  readonly client_id?: string | undefined;
  readonly client_secret?: string | undefined;
  /** The Authorization header. */
  readonly authorization?: string | undefined;
}

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    throw invalidClient(true);
  }
};

/** RFC 6749 §2.3.1: id and secret are form-encoded before they go into HTTP Basic. */
const fromHeader = (authorization: string): { id: string; secret: string } => {
  const encoded = /^Basic +([A-Za-z0-9+/]+=*)$/i.exec(authorization)?.[1];
  if (encoded === undefined) throw invalidClient(true);
  const text = Buffer.from(encoded, "base64").toString("utf8");
  const colon = text.indexOf(":");
  if (colon < 0) throw invalidClient(true);
  return { id: decoded(text.slice(0, colon)), secret: decoded(text.slice(colon + 1)) };
};

const given = ({ client_id, client_secret, authorization }: ClientCredentials) => {
  if (authorization === undefined || authorization === "")
    return { id: client_id, secret: client_secret, basic: false };
  const { id, secret } = fromHeader(authorization);
  if (client_secret !== undefined) throw invalidRequest("Send the client's secret in one place only.");
  if (client_id !== undefined && client_id !== id) throw invalidRequest("Two different client ids were sent.");
  return { id, secret, basic: true };
};

/**
 * The client that sent a request. A confidential one must send its secret. Raises `invalid_client` and
 * `invalid_request`.
 */
export const authenticateClient = async (credentials: ClientCredentials): Promise<OAuthClient> => {
  const { id, secret, basic } = given(credentials);
  if (id === undefined || id === "") throw invalidRequest("The client_id is missing.");
  const client = await findClient(id);
  if (client === null) throw invalidClient(basic);
  if (client.secret_hash === null) {
    // Libraries send an empty secret for a client that has none.
    if (secret !== undefined && secret !== "") throw invalidClient(basic);
    return client;
  }
  if (secret === undefined || !isSameSecret(hashOf(secret), client.secret_hash)) throw invalidClient(basic);
  return client;
};

/** A client that may act in this organization. Another organization's client is answered like an unknown one. */
export const clientOf = async (id: string, organizationId?: string): Promise<OAuthClient> => {
  const client = await findClient(id);
  const foreign =
    organizationId !== undefined && client?.organization_id !== null && client?.organization_id !== organizationId;
  if (client === null || foreign) throw new Fault("invalid_request", { message: "There is no such client." });
  return client;
};
