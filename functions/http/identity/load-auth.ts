import { loadAuth as contract } from "#contracts/identity";
import { endpoint } from "#shared/http/endpoint";
import { reply } from "#shared/http/reply";
import { loadAuth } from "#shared/identity/identity";

export const handler = endpoint(contract)(async ({ tenant }) => reply(200, await loadAuth(tenant)));
