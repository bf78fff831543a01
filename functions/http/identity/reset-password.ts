import { resetPassword as contract } from "#contracts/passwords";
import { leakedPasswords } from "#shared/identity/credentials/leaked-passwords/leaked-passwords";
import { resetPassword } from "#shared/identity/identity";
import { endpoint } from "#shared/lambda/http/endpoint";
import { reply } from "#shared/lambda/http/reply";

export const handler = endpoint(contract)(async ({ body, request }) => {
  await resetPassword(body.token, body.password, request.device, leakedPasswords);
  return reply(204);
});
