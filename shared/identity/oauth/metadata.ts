import { OAUTH_SCOPES } from "#contracts/oauth-bodies";
import { env } from "#shared/foundation/env";

/** RFC 8414 §2. */
export const authorizationServer = () => {
  const issuer = env.issuer();
  return {
    issuer,
    authorization_endpoint: `${issuer}/v1/oauth2/authorize`,
    token_endpoint: `${issuer}/v1/oauth2/token`,
    jwks_uri: `${issuer}/.well-known/jwks.json`,
    scopes_supported: [...OAUTH_SCOPES],
    response_types_supported: ["code"],
    response_modes_supported: ["query"],
    grant_types_supported: ["authorization_code", "refresh_token", "client_credentials"],
    token_endpoint_auth_methods_supported: ["client_secret_basic", "client_secret_post", "none"],
    code_challenge_methods_supported: ["S256"],
    authorization_response_iss_parameter_supported: true as const,
    service_documentation: `${issuer}/docs`,
  };
};
