import { sendDynamicNotifications } from "#contracts/notifications";
import { endpoint } from "#shared/lambda/http/endpoint";
import { reply } from "#shared/lambda/http/reply";
import { notify } from "#shared/messaging/messaging";

export const handler = endpoint(sendDynamicNotifications)(async ({ tenant, body }) =>
  reply(202, await notify(tenant, body)),
);
