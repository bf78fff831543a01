import { enrolTotp as contract } from "#contracts/totp";
import { enrolTotp, tokenHeaders } from "#shared/identity/identity";
import { endpoint } from "#shared/lambda/http/endpoint";
import { reply } from "#shared/lambda/http/reply";

export const handler = endpoint(contract)(async ({ body, caller, request }) => {
  return reply(200, await enrolTotp(caller, body.password, request.device), tokenHeaders);
});
