import { loadAuth as contract } from "#contracts/identity";
import { loadAuth } from "#shared/identity/identity";
import { endpoint } from "#shared/lambda/http/endpoint";
import { reply } from "#shared/lambda/http/reply";

export const handler = endpoint(contract)(async ({ tenant }) => reply(200, await loadAuth(tenant)));
