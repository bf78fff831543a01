import { createOauthClient } from "#contracts/oauth-clients";
import { createClient, tokenHeaders } from "#shared/identity/identity";
import { endpoint } from "#shared/lambda/http/endpoint";
import { reply } from "#shared/lambda/http/reply";

export const handler = endpoint(createOauthClient)(async ({ body, tenant, request }) => {
  const device = { address: request.ip, user_agent: request.userAgent };
  return reply(201, await createClient(tenant, body, device), tokenHeaders);
});
