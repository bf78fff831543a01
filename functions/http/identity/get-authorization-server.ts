import { getAuthorizationServer } from "#contracts/discovery";
import { authorizationServer } from "#shared/identity/identity";
import { endpoint } from "#shared/lambda/http/endpoint";
import { reply } from "#shared/lambda/http/reply";

export const handler = endpoint(getAuthorizationServer)(() =>
  reply(200, authorizationServer(), { "cache-control": "public, max-age=300" }),
);
