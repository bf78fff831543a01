import { refresh } from "#contracts/identity";
import { refreshAccess, tokenHeaders } from "#shared/identity/identity";
import { endpoint } from "#shared/lambda/http/endpoint";
import { reply } from "#shared/lambda/http/reply";

export const handler = endpoint(refresh)(async ({ body }) =>
  reply(200, await refreshAccess(body.refresh_token), tokenHeaders),
);
