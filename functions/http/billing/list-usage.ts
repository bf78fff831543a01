import { listUsage as contract } from "#contracts/billing";
import { listUsage } from "#shared/billing/billing";
import { endpoint } from "#shared/lambda/http/endpoint";
import { reply } from "#shared/lambda/http/reply";

export const handler = endpoint(contract)(async ({ tenant, query }) => reply(200, await listUsage(tenant, query)));
