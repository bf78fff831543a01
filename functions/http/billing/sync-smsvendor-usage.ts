import { syncSmsvendorUsage } from "#contracts/billing";
import { checkedRange, startUsageRun, yesterday } from "#shared/billing/billing";
import { endpoint } from "#shared/lambda/http/endpoint";
import { reply } from "#shared/lambda/http/reply";

export const handler = endpoint(syncSmsvendorUsage)(async ({ body }) => {
  const range = checkedRange(body ?? {}, "body", yesterday(), 1);
  return reply(200, await startUsageRun({ ...range, organization_ids: body?.organization_ids }));
});
