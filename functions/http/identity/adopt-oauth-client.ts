import { adoptOauthClient } from "#contracts/oauth-clients";
import { adoptClient, tokenHeaders } from "#shared/identity/identity";
import { endpoint } from "#shared/lambda/http/endpoint";
import { reply } from "#shared/lambda/http/reply";

export const handler = endpoint(adoptOauthClient)(async ({ path, body, tenant, request }) => {
  const adopted = await adoptClient(tenant, { id: path.id, new_secret: body?.new_secret === true }, request.device);
  return reply(200, adopted, tokenHeaders);
});
