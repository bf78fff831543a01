import { verifySecondFactor as contract } from "#contracts/second-factor";
import { endpoint } from "#shared/http/endpoint";
import { reply } from "#shared/http/reply";
import { tokenHeaders, tokenSession, verifySecondFactor } from "#shared/identity/identity";

export const handler = endpoint(contract)(async ({ body, request }) => {
  const attempt = { ...body, address: request.ip, user_agent: request.userAgent };
  return reply(200, await verifySecondFactor(attempt, tokenSession), tokenHeaders);
});
