import { endSession as contract } from "#contracts/sessions";
import { endSession } from "#shared/identity/identity";
import { endpoint } from "#shared/lambda/http/endpoint";
import { reply } from "#shared/lambda/http/reply";

export const handler = endpoint(contract)(async ({ path, query, tenant, request }) => {
  await endSession(tenant, { ...path, ...query }, request.device);
  return reply(204);
});
