import { authorize as contract } from "#contracts/oauth";
import { endpoint } from "#shared/http/endpoint";
import { reply } from "#shared/http/reply";
import { authorize, tokenHeaders } from "#shared/identity/identity";

export const handler = endpoint(contract)(async ({ body, caller }) =>
  reply(200, await authorize(caller, body), tokenHeaders),
);
