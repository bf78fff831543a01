import { markNotificationsReadByKeyValue } from "#contracts/notifications";
import { endpoint } from "#shared/lambda/http/endpoint";
import { reply } from "#shared/lambda/http/reply";
import { markRead } from "#shared/messaging/messaging";

export const handler = endpoint(markNotificationsReadByKeyValue)(async ({ tenant, body }) =>
  reply(200, await markRead(tenant, body)),
);
