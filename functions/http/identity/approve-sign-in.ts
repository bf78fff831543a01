import { approveSignIn as contract } from "#contracts/second-factor";
import { endpoint } from "#shared/http/endpoint";
import { reply } from "#shared/http/reply";
import { approveSignIn } from "#shared/identity/identity";

export const handler = endpoint(contract)(async ({ body, caller, request }) => {
  await approveSignIn(caller, body, { address: request.ip, user_agent: request.userAgent });
  return reply(200, { detail: "The sign-in is approved.", session_id: body.session_id, status: "approved" as const });
});
