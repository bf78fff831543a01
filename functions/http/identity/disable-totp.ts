import { disableTotp as contract } from "#contracts/totp";
import { disableTotp } from "#shared/identity/identity";
import { endpoint } from "#shared/lambda/http/endpoint";
import { reply } from "#shared/lambda/http/reply";

export const handler = endpoint(contract)(async ({ body, caller, request }) => {
  await disableTotp(caller, body, request.device);
  return reply(204);
});
