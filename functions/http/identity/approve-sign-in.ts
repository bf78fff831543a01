import { approveSignIn as contract } from "#contracts/second-factor";
import { approveSignIn } from "#shared/identity/identity";
import { endpoint } from "#shared/lambda/http/endpoint";
import { reply } from "#shared/lambda/http/reply";

export const handler = endpoint(contract)(async ({ body, caller, request }) => {
  await approveSignIn(caller, body, request.device);
  return reply(200, { detail: "The sign-in is approved.", session_id: body.session_id, status: "approved" as const });
});
