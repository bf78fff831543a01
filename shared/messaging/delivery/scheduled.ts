import type { ClientSession } from "mongodb";
import { deliverMessage, messageObjects } from "#contracts/message-delivery";
import { now } from "#shared/foundation/clock";
import { addToOutbox, messageFor, type TenantDatabase } from "#shared/tenant/tenant";
import { messagesOf } from "./claim.ts";
import { type MessageKey, statusChange } from "./record.ts";

/** Lets messages be delivered: an entry of the outbox for each. In the caller's transaction. */
export const queueDelivery = async (
  database: TenantDatabase,
  keys: readonly MessageKey[],
  session: ClientSession,
): Promise<void> => {
  await addToOutbox(
    database,
    session,
    keys.map(({ object, id }) => messageFor(deliverMessage, { object, id })),
  );
};

/**
 * Queues a message whose time has come; `id` is `<object>/<id>`, as its schedule has it. False if it is not scheduled
 * any more.
 */
export const queueScheduled = async (database: TenantDatabase, id: string): Promise<boolean> => {
  const [name, messageId = ""] = id.split("/");
  const object = messageObjects.find((known) => known === name);
  if (object === undefined) return false;
  return database.transaction(async (session) => {
    const { set, push } = statusChange("queued", now());
    const change = { $set: set, $push: push, $unset: { "_delivery.next_attempt_at": "" as const } };
    const scheduled = { _id: messageId, status: "scheduled" as const };
    const { matchedCount } = await messagesOf(database, { object }).updateOne(scheduled, change, { session });
    if (matchedCount === 0) return false;
    await queueDelivery(database, [{ object, id: messageId }], session);
    return true;
  });
};
