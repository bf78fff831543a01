import { listAudit as contract } from "#contracts/sessions";
import { readAudit } from "#shared/identity/identity";
import { endpoint } from "#shared/lambda/http/endpoint";
import { reply } from "#shared/lambda/http/reply";

export const handler = endpoint(contract)(async ({ query, caller }) => reply(200, await readAudit(caller, query)));
