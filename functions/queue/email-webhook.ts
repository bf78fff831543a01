import { emailWebhookMessage } from "#contracts/webhook-messages";
import { queuedForReceived } from "#shared/functions/functions";
import { consume } from "#shared/lambda/queue/consume";
import { processWebhook } from "#shared/messaging/webhooks/process-webhook";

export const handler = consume(emailWebhookMessage)(({ id, payload, database }) =>
  processWebhook(database, payload.webhook_id, (_, record, userId) =>
    queuedForReceived(database.organization_id, record, { userId, request_id: id }),
  ),
);
