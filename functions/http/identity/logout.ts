import { logout as contract } from "#contracts/identity";
import { endpoint } from "#shared/http/endpoint";
import { reply } from "#shared/http/reply";
import { logout } from "#shared/identity/identity";

export const handler = endpoint(contract)(async ({ caller, request }) => {
  await logout(caller, { address: request.ip, user_agent: request.userAgent });
  return reply(204);
});
