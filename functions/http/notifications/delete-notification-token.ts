import { deleteNotificationToken } from "#contracts/notifications";
import { endpoint } from "#shared/lambda/http/endpoint";
import { reply } from "#shared/lambda/http/reply";
import { removeDevice } from "#shared/messaging/notifications/notifications";

export const handler = endpoint(deleteNotificationToken)(async ({ tenant, path }) => {
  await removeDevice(tenant, path.id);
  return reply(204);
});
