import { register as contract } from "#contracts/identity";
import { leakedPasswords } from "#shared/identity/credentials/leaked-passwords/leaked-passwords";
import { register, tokenHeaders } from "#shared/identity/identity";
import { endpoint } from "#shared/lambda/http/endpoint";
import { reply } from "#shared/lambda/http/reply";

export const handler = endpoint(contract)(async ({ body, request }) => {
  const registration = { ...body, ...request.device };
  return reply(201, await register(registration, leakedPasswords), tokenHeaders);
});
