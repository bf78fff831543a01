import { switchOrganization as contract } from "#contracts/identity";
import { switchOrganization, tokenHeaders } from "#shared/identity/identity";
import { endpoint } from "#shared/lambda/http/endpoint";
import { reply } from "#shared/lambda/http/reply";

export const handler = endpoint(contract)(async ({ body, caller }) =>
  reply(200, await switchOrganization(caller, body.id), tokenHeaders),
);
