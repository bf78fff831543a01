import { receiveBillingHook } from "#contracts/billing";
import { receiveHook } from "#shared/billing/billing";
import { endpoint } from "#shared/lambda/http/endpoint";
import { reply } from "#shared/lambda/http/reply";

export const handler = endpoint(receiveBillingHook)(async ({ raw, headers }) => {
  await receiveHook(raw, headers["stripe-signature"]);
  return reply(200, { received: true });
});
