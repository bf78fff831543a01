import { register as contract } from "#contracts/identity";
import { endpoint } from "#shared/http/endpoint";
import { reply } from "#shared/http/reply";
import { register, tokenHeaders } from "#shared/identity/identity";
import { leakedPasswords } from "#shared/leaked-passwords/leaked-passwords";

export const handler = endpoint(contract)(async ({ body, request }) => {
  const registration = { ...body, address: request.ip, user_agent: request.userAgent };
  return reply(201, await register(registration, leakedPasswords), tokenHeaders);
});
