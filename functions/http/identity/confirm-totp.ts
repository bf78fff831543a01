import { confirmTotp as contract } from "#contracts/totp";
import { confirmTotp, tokenHeaders } from "#shared/identity/identity";
import { endpoint } from "#shared/lambda/http/endpoint";
import { reply } from "#shared/lambda/http/reply";

export const handler = endpoint(contract)(async ({ body, caller, request }) => {
  return reply(200, { recovery_codes: await confirmTotp(caller, body.code, request.device) }, tokenHeaders);
});
