import { sendNotifications } from "#contracts/notifications";
import { endpoint } from "#shared/lambda/http/endpoint";
import { reply } from "#shared/lambda/http/reply";
import { fireSettings } from "#shared/messaging/notifications/notifications";

export const handler = endpoint(sendNotifications)(async ({ tenant, body }) =>
  reply(202, await fireSettings(tenant, body)),
);
