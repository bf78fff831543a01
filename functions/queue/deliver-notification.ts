import { deliverNotification } from "#contracts/notification-messages";
import { consume } from "#shared/lambda/queue/consume";
import { deliverToRecipients } from "#shared/messaging/notifications/notifications";

export const handler = consume(deliverNotification)(({ id, payload, database, onceIn }) =>
  deliverToRecipients(payload, { database, id, once: onceIn(database) }),
);
