import { getSignInStatus } from "#contracts/second-factor";
import { endpoint } from "#shared/http/endpoint";
import { reply } from "#shared/http/reply";
import { signInStatus, tokenHeaders } from "#shared/identity/identity";

export const handler = endpoint(getSignInStatus)(async ({ query, request }) => {
  const device = { address: request.ip, user_agent: request.userAgent };
  return reply(200, await signInStatus(query.email, query.session_id, device), tokenHeaders);
});
