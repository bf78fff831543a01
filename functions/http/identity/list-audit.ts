import { listAudit as contract } from "#contracts/sessions";
import { endpoint } from "#shared/http/endpoint";
import { reply } from "#shared/http/reply";
import { readAudit } from "#shared/identity/identity";

export const handler = endpoint(contract)(async ({ query, caller }) => reply(200, await readAudit(caller, query)));
