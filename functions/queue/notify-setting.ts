import { notifySetting } from "#contracts/notification-messages";
import { consume } from "#shared/lambda/queue/consume";
import { fireSetting } from "#shared/messaging/notifications/notifications";

export const handler = consume(notifySetting)(({ id, payload, database, onceIn }) =>
  fireSetting(payload, { database, id, once: onceIn(database) }),
);
