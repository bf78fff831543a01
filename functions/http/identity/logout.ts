import { logout as contract } from "#contracts/identity";
import { logout } from "#shared/identity/identity";
import { endpoint } from "#shared/lambda/http/endpoint";
import { reply } from "#shared/lambda/http/reply";

export const handler = endpoint(contract)(async ({ caller, request }) => {
  await logout(caller, { address: request.ip, user_agent: request.userAgent });
  return reply(204);
});
