import { getNotificationPreferences } from "#contracts/notifications";
import { endpoint } from "#shared/lambda/http/endpoint";
import { reply } from "#shared/lambda/http/reply";
import { readPreferences } from "#shared/messaging/notifications/notifications";

export const handler = endpoint(getNotificationPreferences)(async ({ tenant }) =>
  reply(200, await readPreferences(tenant)),
);
