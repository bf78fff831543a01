import { listUserStatuses } from "#contracts/status";
import { endpoint } from "#shared/http/endpoint";
import { reply } from "#shared/http/reply";
import { listStatuses } from "#shared/presence/presence";

export const handler = endpoint(listUserStatuses)(async ({ tenant, query }) =>
  reply(200, await listStatuses(tenant, query.after)),
);
