import { register as contract } from "#contracts/identity";
import { endpoint } from "#shared/http/endpoint";
import { reply } from "#shared/http/reply";
import { register, tokenHeaders } from "#shared/identity/identity";

export const handler = endpoint(contract)(async ({ body, request }) =>
  reply(201, await register({ ...body, address: request.ip, user_agent: request.userAgent }), tokenHeaders),
);
