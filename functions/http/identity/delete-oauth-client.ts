import { deleteOauthClient } from "#contracts/oauth-clients";
import { deleteClient } from "#shared/identity/identity";
import { endpoint } from "#shared/lambda/http/endpoint";
import { reply } from "#shared/lambda/http/reply";

export const handler = endpoint(deleteOauthClient)(async ({ path, tenant, request }) => {
  await deleteClient(tenant, path.id, request.device);
  return reply(204);
});
