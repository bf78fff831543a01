import { listNotifications as contract } from "#contracts/notifications";
import { endpoint } from "#shared/lambda/http/endpoint";
import { reply } from "#shared/lambda/http/reply";
import { listNotifications } from "#shared/messaging/notifications/notifications";

export const handler = endpoint(contract)(async ({ tenant, query }) =>
  reply(200, await listNotifications(tenant, query)),
);
