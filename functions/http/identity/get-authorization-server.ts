import { getAuthorizationServer } from "#contracts/discovery";
import { endpoint } from "#shared/http/endpoint";
import { reply } from "#shared/http/reply";
import { authorizationServer } from "#shared/identity/identity";

export const handler = endpoint(getAuthorizationServer)(() =>
  reply(200, authorizationServer(), { "cache-control": "public, max-age=300" }),
);
