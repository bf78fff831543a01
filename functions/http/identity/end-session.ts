import { endSession as contract } from "#contracts/sessions";
import { endpoint } from "#shared/http/endpoint";
import { reply } from "#shared/http/reply";
import { endSession } from "#shared/identity/identity";

export const handler = endpoint(contract)(async ({ path, caller, request }) => {
  const device = { address: request.ip, user_agent: request.userAgent };
  await endSession(caller, path.id, device);
  return reply(204);
});
