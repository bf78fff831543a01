import { setNotificationToken } from "#contracts/notifications";
import { endpoint } from "#shared/lambda/http/endpoint";
import { reply } from "#shared/lambda/http/reply";
import { setDevice } from "#shared/messaging/notifications/notifications";

export const handler = endpoint(setNotificationToken)(async ({ tenant, body }) =>
  reply(200, await setDevice(tenant, body)),
);
