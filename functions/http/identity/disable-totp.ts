import { disableTotp as contract } from "#contracts/totp";
import { endpoint } from "#shared/http/endpoint";
import { reply } from "#shared/http/reply";
import { disableTotp } from "#shared/identity/identity";

export const handler = endpoint(contract)(async ({ body, caller, request }) => {
  const device = { address: request.ip, user_agent: request.userAgent };
  await disableTotp(caller, body, device);
  return reply(204);
});
