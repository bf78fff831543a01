import { endSession as contract } from "#contracts/sessions";
import { endpoint } from "#shared/http/endpoint";
import { reply } from "#shared/http/reply";
import { endSession } from "#shared/identity/identity";

export const handler = endpoint(contract)(async ({ path, query, tenant, request }) => {
  const device = { address: request.ip, user_agent: request.userAgent };
  await endSession(tenant, { ...path, ...query }, device);
  return reply(204);
});
