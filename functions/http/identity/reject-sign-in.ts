import { rejectSignIn as contract } from "#contracts/second-factor";
import { rejectSignIn } from "#shared/identity/identity";
import { endpoint } from "#shared/lambda/http/endpoint";
import { reply } from "#shared/lambda/http/reply";

export const handler = endpoint(contract)(async ({ body, caller, request }) => {
  await rejectSignIn(caller, body.session_id, request.device);
  return reply(200, { detail: "The sign-in is rejected.", session_id: body.session_id, status: "rejected" as const });
});
