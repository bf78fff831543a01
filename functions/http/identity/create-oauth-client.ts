import { createOauthClient } from "#contracts/oauth-clients";
import { endpoint } from "#shared/http/endpoint";
import { reply } from "#shared/http/reply";
import { createClient, tokenHeaders } from "#shared/identity/identity";

export const handler = endpoint(createOauthClient)(async ({ body, tenant, request }) => {
  const device = { address: request.ip, user_agent: request.userAgent };
  return reply(201, await createClient(tenant, body, device), tokenHeaders);
});
