import { changePassword as contract } from "#contracts/passwords";
import { endpoint } from "#shared/http/endpoint";
import { reply } from "#shared/http/reply";
import { changePassword } from "#shared/identity/identity";
import { leakedPasswords } from "#shared/leaked-passwords/leaked-passwords";

export const handler = endpoint(contract)(async ({ body, caller, request }) => {
  const device = { address: request.ip, user_agent: request.userAgent };
  await changePassword(caller, body, device, leakedPasswords);
  return reply(204);
});
