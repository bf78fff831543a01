import { startAutomation } from "#contracts/record-messages";
import { runQueuedAutomation } from "#shared/automation/automation";
import { consume } from "#shared/lambda/queue/consume";

export const handler = consume(startAutomation)(({ id, payload, database, remaining, onceIn }) =>
  runQueuedAutomation(payload, database, { message_id: id, milliseconds: remaining(), onceIn }),
);
