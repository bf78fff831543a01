import { logout as contract } from "#contracts/identity";
import { logout } from "#shared/identity/identity";
import { endpoint } from "#shared/lambda/http/endpoint";
import { reply } from "#shared/lambda/http/reply";

export const handler = endpoint(contract)(async ({ caller, request }) => {
  await logout(caller, request.device);
  return reply(204);
});
