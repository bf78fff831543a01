import { forgotPassword as contract } from "#contracts/passwords";
import { endpoint } from "#shared/http/endpoint";
import { reply } from "#shared/http/reply";
import { askPasswordReset } from "#shared/identity/identity";

export const handler = endpoint(contract)(async ({ body, request }) => {
  const device = { address: request.ip, user_agent: request.userAgent };
  await askPasswordReset(body.email, device);
  return reply(202, { detail: "If there is an account with this address, a mail is on its way." });
});
