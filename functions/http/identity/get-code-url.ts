import { getCodeUrl } from "#contracts/oauth";
import { authorizationUrl } from "#shared/identity/identity";
import { endpoint } from "#shared/lambda/http/endpoint";
import { reply } from "#shared/lambda/http/reply";

export const handler = endpoint(getCodeUrl)(async ({ body }) => reply(200, { code_url: await authorizationUrl(body) }));
