import { getSignInStatus } from "#contracts/second-factor";
import { endpoint } from "#shared/http/endpoint";
import { reply } from "#shared/http/reply";
import { signInStatus, tokenHeaders, tokenSession } from "#shared/identity/identity";

export const handler = endpoint(getSignInStatus)(async ({ query, request }) => {
  const device = { address: request.ip, user_agent: request.userAgent };
  const { status, entered: token } = await signInStatus(query, device, tokenSession);
  return reply(200, { status, ...(token && { token }) }, tokenHeaders);
});
