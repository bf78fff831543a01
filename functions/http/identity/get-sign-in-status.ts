import { getSignInStatus } from "#contracts/second-factor";
import { signInStatus, tokenHeaders, tokenSession } from "#shared/identity/identity";
import { endpoint } from "#shared/lambda/http/endpoint";
import { reply } from "#shared/lambda/http/reply";

export const handler = endpoint(getSignInStatus)(async ({ query, request }) => {
  const { status, entered: token } = await signInStatus(query, request.device, tokenSession);
  return reply(200, { status, ...(token && { token }) }, tokenHeaders);
});
