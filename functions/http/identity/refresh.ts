import { refresh } from "#contracts/identity";
import { endpoint } from "#shared/http/endpoint";
import { reply } from "#shared/http/reply";
import { refreshAccess, tokenHeaders } from "#shared/identity/identity";

export const handler = endpoint(refresh)(async ({ body }) =>
  reply(200, await refreshAccess(body.refresh_token), tokenHeaders),
);
