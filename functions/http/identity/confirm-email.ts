import { confirmEmail as contract } from "#contracts/email-confirmation";
import { confirmEmail } from "#shared/identity/identity";
import { endpoint } from "#shared/lambda/http/endpoint";
import { reply } from "#shared/lambda/http/reply";

export const handler = endpoint(contract)(async ({ body, request }) => {
  await confirmEmail(body.token, body.password, request.device);
  return reply(204);
});
