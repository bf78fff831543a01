import { getUsageRun } from "#contracts/billing";
import { showUsageRun } from "#shared/billing/billing";
import { endpoint } from "#shared/lambda/http/endpoint";
import { reply } from "#shared/lambda/http/reply";

export const handler = endpoint(getUsageRun)(async ({ path, query }) =>
  reply(200, await showUsageRun(path.run_id, query)),
);
