import { switchOrganization as contract } from "#contracts/identity";
import { endpoint } from "#shared/http/endpoint";
import { reply } from "#shared/http/reply";
import { switchOrganization, tokenHeaders } from "#shared/identity/identity";

export const handler = endpoint(contract)(async ({ body, caller }) =>
  reply(200, await switchOrganization(caller, body.id), tokenHeaders),
);
