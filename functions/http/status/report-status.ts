import { reportStatus as contract } from "#contracts/status";
import { endpoint } from "#shared/http/endpoint";
import { reply } from "#shared/http/reply";
import { reportStatus } from "#shared/presence/presence";

export const handler = endpoint(contract)(async ({ tenant, body, request }) =>
  reply(200, await reportStatus(tenant, body, request.receivedAt)),
);
