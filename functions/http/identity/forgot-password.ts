import { forgotPassword as contract } from "#contracts/passwords";
import { askPasswordReset } from "#shared/identity/identity";
import { endpoint } from "#shared/lambda/http/endpoint";
import { reply } from "#shared/lambda/http/reply";

export const handler = endpoint(contract)(async ({ body, request }) => {
  await askPasswordReset(body.email, request.device);
  return reply(202, { detail: "If there is an account with this address, a mail is on its way." });
});
