import { type OutgoingMessage, sendMessages } from "#shared/foundation/aws/sqs";
import { log } from "#shared/foundation/log";
import { type OutboxDatabase, type OutboxEntry, outboxOf } from "./entry.ts";
import { sendSchedules } from "./send-schedules.ts";

/** The body names the entry only: the payload stays in the database of the organization. */
const messageOf = (organizationId: string, { _id: id, group }: OutboxEntry): OutgoingMessage => ({
  id,
  body: JSON.stringify({ organization: organizationId, id }),
  group: group ?? organizationId,
});

/** Gives the ids of the entries that the queue has accepted. */
const sendToQueue = async (
  organizationId: string,
  queue: string,
  entries: readonly OutboxEntry[],
): Promise<string[]> => {
  const messages = entries.map((entry) => messageOf(organizationId, entry));
  try {
    return await sendMessages(queue, messages);
  } catch (error) {
    log.error({ organization: organizationId, queue, entries: entries.length, err: error }, "the outbox was not sent");
    return [];
  }
};

/**
 * Sends entries that are committed. Gives the number of those that are sent; the others stay pending. An entry may be
 * sent by several callers at once.
 */
export const sendEntries = async (database: OutboxDatabase, entries: readonly OutboxEntry[]): Promise<number> => {
  const queues = Map.groupBy(entries, ({ queue }) => queue);
  let sent = 0;
  for (const [queue, ofQueue] of queues) {
    if (queue === undefined) {
      sent += await sendSchedules(database, ofQueue);
      continue;
    }
    const accepted = await sendToQueue(database.organization_id, queue, ofQueue);
    sent += accepted.length;
    // A consumer may have claimed or completed it before.
    const pending = { _id: { $in: accepted }, status: "pending" } as const;
    if (accepted.length > 0) await outboxOf(database).updateMany(pending, { $set: { status: "sent" } });
  }
  return sent;
};
