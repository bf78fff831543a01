import { createOauthClient } from "#contracts/oauth-clients";
import { createClient, tokenHeaders } from "#shared/identity/identity";
import { endpoint } from "#shared/lambda/http/endpoint";
import { reply } from "#shared/lambda/http/reply";

export const handler = endpoint(createOauthClient)(async ({ body, tenant, request }) => {
  return reply(201, await createClient(tenant, body, request.device), tokenHeaders);
});
