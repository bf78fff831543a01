import { disableTotp as contract } from "#contracts/totp";
import { disableTotp } from "#shared/identity/identity";
import { endpoint } from "#shared/lambda/http/endpoint";
import { reply } from "#shared/lambda/http/reply";

export const handler = endpoint(contract)(async ({ body, caller, request }) => {
  const device = { address: request.ip, user_agent: request.userAgent };
  await disableTotp(caller, body, device);
  return reply(204);
});
