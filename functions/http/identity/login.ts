import { login } from "#contracts/identity";
import { signIn, tokenHeaders, tokenSession } from "#shared/identity/identity";
import { endpoint } from "#shared/lambda/http/endpoint";
import { reply } from "#shared/lambda/http/reply";

export const handler = endpoint(login)(async ({ body, request }) => {
  const credentials = { email: body.username, password: body.password, ...request.device };
  return reply(200, await signIn(credentials, tokenSession), tokenHeaders);
});
