import { sendNotification } from "#contracts/notifications";
import { endpoint } from "#shared/lambda/http/endpoint";
import { reply } from "#shared/lambda/http/reply";
import { sendToDevice } from "#shared/messaging/notifications/notifications";

export const handler = endpoint(sendNotification)(async ({ tenant, body }) =>
  reply(200, await sendToDevice(tenant, body)),
);
