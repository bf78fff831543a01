import { recordTriggerMessage } from "#contracts/record-messages";
import { runQueuedTrigger } from "#shared/functions/functions";
import { consume } from "#shared/lambda/queue/consume";

export const handler = consume(recordTriggerMessage)(({ id, payload, database, remaining, onceIn }) =>
  runQueuedTrigger(payload, database, { message_id: id, milliseconds: remaining(), onceIn }),
);
