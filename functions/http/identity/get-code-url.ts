import { getCodeUrl } from "#contracts/oauth";
import { endpoint } from "#shared/http/endpoint";
import { reply } from "#shared/http/reply";
import { authorizationUrl } from "#shared/identity/identity";

export const handler = endpoint(getCodeUrl)(async ({ body }) => reply(200, { code_url: await authorizationUrl(body) }));
