import { deleteOauthClient } from "#contracts/oauth-clients";
import { endpoint } from "#shared/http/endpoint";
import { reply } from "#shared/http/reply";
import { deleteClient } from "#shared/identity/identity";

export const handler = endpoint(deleteOauthClient)(async ({ path, tenant, request }) => {
  await deleteClient(tenant, path.id, { address: request.ip, user_agent: request.userAgent });
  return reply(204);
});
