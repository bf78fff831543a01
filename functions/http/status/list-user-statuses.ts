import { listUserStatuses } from "#contracts/status";
import { listStatuses } from "#shared/identity/presence/presence";
import { endpoint } from "#shared/lambda/http/endpoint";
import { reply } from "#shared/lambda/http/reply";

export const handler = endpoint(listUserStatuses)(async ({ tenant, query }) =>
  reply(200, await listStatuses(tenant, query.after)),
);
