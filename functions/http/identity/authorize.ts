import { authorize as contract } from "#contracts/oauth";
import { authorize, tokenHeaders } from "#shared/identity/identity";
import { endpoint } from "#shared/lambda/http/endpoint";
import { reply } from "#shared/lambda/http/reply";

export const handler = endpoint(contract)(async ({ body, caller }) =>
  reply(200, await authorize(caller, body), tokenHeaders),
);
