import { getMyStatus } from "#contracts/status";
import { statusOfCaller } from "#shared/identity/presence/presence";
import { endpoint } from "#shared/lambda/http/endpoint";
import { reply } from "#shared/lambda/http/reply";

export const handler = endpoint(getMyStatus)(async ({ tenant }) => reply(200, await statusOfCaller(tenant)));
