import { changePassword as contract } from "#contracts/passwords";
import { leakedPasswords } from "#shared/identity/credentials/leaked-passwords/leaked-passwords";
import { changePassword } from "#shared/identity/identity";
import { endpoint } from "#shared/lambda/http/endpoint";
import { reply } from "#shared/lambda/http/reply";

export const handler = endpoint(contract)(async ({ body, caller, request }) => {
  await changePassword(caller, body, request.device, leakedPasswords);
  return reply(204);
});
