import { setNotificationPreferences } from "#contracts/notifications";
import { endpoint } from "#shared/lambda/http/endpoint";
import { reply } from "#shared/lambda/http/reply";
import { setPreferences } from "#shared/messaging/notifications/notifications";

export const handler = endpoint(setNotificationPreferences)(async ({ tenant, body }) =>
  reply(200, await setPreferences(tenant, body)),
);
