import { now } from "#shared/foundation/clock";
import { Fault } from "#shared/foundation/faults";
import { ACCESS_TOKEN_SECONDS } from "#shared/foundation/tokens/tokens";
import { type OAuthClient, openOrganization } from "#shared/tenant/tenant";
import type { Device } from "../sessions/device.ts";
import { type AppTokenAnswer, beginAppSession } from "./app-sessions.ts";
import { authenticateClient, type ClientCredentials } from "./clients.ts";
import { type CodeExchange, exchangeCode } from "./code-grant.ts";
import { invalidGrant } from "./errors.ts";
import { type Refresh, refreshGrant } from "./refresh-grant.ts";
import { demandResponsible } from "./responsible-administrator.ts";
import { grantedScope } from "./scopes.ts";

export interface TokenRequest extends ClientCredentials, CodeExchange, Refresh {
  readonly grant_type: string;
  readonly run_as?: string | undefined;
}

/**
 * A token of a client that acts alone, as the user in `run_as`. There is no refresh token (RFC 6749 §4.4.3). Its rights
 * are checked at each request. The check here only refuses earlier.
 */
const actAlone = async (
  client: OAuthClient,
  { scope, run_as }: TokenRequest,
  device: Device,
): Promise<AppTokenAnswer> => {
  const { organization_id, run_as: user_id } = client;
  if (client.type !== "confidential" || user_id === null || organization_id === null) {
    throw new Fault("unauthorized_client", { message: "This client has nobody to run as." });
  }
  if (run_as !== undefined && run_as !== user_id) {
    throw new Fault("unauthorized_client", { message: "This client may not run as that user." });
  }
  const granted = grantedScope(scope, client.scopes);
  const database = await openOrganization(organization_id);
  if (database === null) throw invalidGrant();
  const responsible = await demandResponsible(client, database);
  return beginAppSession({
    client,
    responsible,
    user_id,
    organization_id,
    scope: granted,
    // Nobody can be asked for a second factor. An administrator has chosen client and user.
    second_factor: true,
    begun: now(),
    device,
    milliseconds: ACCESS_TOKEN_SECONDS * 1000,
    refreshable: false,
  });
};

/** The token endpoint (RFC 6749 §3.2). Raises the errors of its §5.2. */
export const issueAppToken = async (request: TokenRequest, device: Device): Promise<AppTokenAnswer> => {
  const client = await authenticateClient(request);
  switch (request.grant_type) {
    case "authorization_code":
      return exchangeCode(client, request, device);
    case "refresh_token":
      return refreshGrant(client, request, device);
    case "client_credentials":
      return actAlone(client, request, device);
    default:
      throw new Fault("unsupported_grant_type");
  }
};
