import { setAvailability as contract } from "#contracts/status";
import { setAvailability } from "#shared/identity/presence/presence";
import { endpoint } from "#shared/lambda/http/endpoint";
import { reply } from "#shared/lambda/http/reply";

export const handler = endpoint(contract)(async ({ tenant, body }) => reply(200, await setAvailability(tenant, body)));
