import { resetPassword as contract } from "#contracts/passwords";
import { endpoint } from "#shared/http/endpoint";
import { reply } from "#shared/http/reply";
import { resetPassword } from "#shared/identity/identity";
import { leakedPasswords } from "#shared/leaked-passwords/leaked-passwords";

export const handler = endpoint(contract)(async ({ body, request }) => {
  const device = { address: request.ip, user_agent: request.userAgent };
  await resetPassword(body.token, body.password, device, leakedPasswords);
  return reply(204);
});
