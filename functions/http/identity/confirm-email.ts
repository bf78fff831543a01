import { confirmEmail as contract } from "#contracts/email-confirmation";
import { endpoint } from "#shared/http/endpoint";
import { reply } from "#shared/http/reply";
import { confirmEmail } from "#shared/identity/identity";

export const handler = endpoint(contract)(async ({ body, request }) => {
  const device = { address: request.ip, user_agent: request.userAgent };
  await confirmEmail(body.token, body.password, device);
  return reply(204);
});
