import { verifySecondFactor as contract } from "#contracts/second-factor";
import { tokenHeaders, tokenSession, verifySecondFactor } from "#shared/identity/identity";
import { endpoint } from "#shared/lambda/http/endpoint";
import { reply } from "#shared/lambda/http/reply";

export const handler = endpoint(contract)(async ({ body, request }) => {
  const attempt = { ...body, ...request.device };
  return reply(200, await verifySecondFactor(attempt, tokenSession), tokenHeaders);
});
