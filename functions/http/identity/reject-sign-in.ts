import { rejectSignIn as contract } from "#contracts/second-factor";
import { endpoint } from "#shared/http/endpoint";
import { reply } from "#shared/http/reply";
import { rejectSignIn } from "#shared/identity/identity";

export const handler = endpoint(contract)(async ({ body, caller, request }) => {
  await rejectSignIn(caller, body.session_id, { address: request.ip, user_agent: request.userAgent });
  return reply(200, { detail: "The sign-in is rejected.", session_id: body.session_id, status: "rejected" as const });
});
