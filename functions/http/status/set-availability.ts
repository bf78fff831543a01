import { setAvailability as contract } from "#contracts/status";
import { endpoint } from "#shared/http/endpoint";
import { reply } from "#shared/http/reply";
import { setAvailability } from "#shared/presence/presence";

export const handler = endpoint(contract)(async ({ tenant, body }) => reply(200, await setAvailability(tenant, body)));
