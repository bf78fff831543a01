import { getMyStatus } from "#contracts/status";
import { endpoint } from "#shared/http/endpoint";
import { reply } from "#shared/http/reply";
import { statusOfCaller } from "#shared/presence/presence";

export const handler = endpoint(getMyStatus)(async ({ tenant }) => reply(200, await statusOfCaller(tenant)));
