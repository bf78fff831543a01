import { reportStatus as contract } from "#contracts/status";
import { reportStatus } from "#shared/identity/presence/presence";
import { endpoint } from "#shared/lambda/http/endpoint";
import { reply } from "#shared/lambda/http/reply";

export const handler = endpoint(contract)(async ({ tenant, body, request }) =>
  reply(200, await reportStatus(tenant, body, request.receivedAt)),
);
