import { requestEmailConfirmation as contract } from "#contracts/email-confirmation";
import { askEmailConfirmation } from "#shared/identity/identity";
import { endpoint } from "#shared/lambda/http/endpoint";
import { reply } from "#shared/lambda/http/reply";

export const handler = endpoint(contract)(async ({ tenant, caller, request }) => {
  await tenant.once.send(() => askEmailConfirmation(caller, request.device));
  return reply(202, { detail: `A mail is on its way to ${caller.email}.` });
});
