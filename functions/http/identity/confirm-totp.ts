import { confirmTotp as contract } from "#contracts/totp";
import { endpoint } from "#shared/http/endpoint";
import { reply } from "#shared/http/reply";
import { confirmTotp, tokenHeaders } from "#shared/identity/identity";

export const handler = endpoint(contract)(async ({ body, caller, request }) => {
  const device = { address: request.ip, user_agent: request.userAgent };
  return reply(200, { recovery_codes: await confirmTotp(caller, body.code, device) }, tokenHeaders);
});
