import { type MessageObject, messageObjects } from "#contracts/message-delivery";
import { now } from "#shared/foundation/clock";
import { Fault } from "#shared/foundation/faults";
import { addToOutbox, markBackgroundWork, type Tenant } from "#shared/tenant/tenant";
import { messageScheduleName } from "./accept.ts";
import { messagesOf } from "./claim.ts";
import { type StoredMessage, statusChange } from "./record.ts";
import { queueDelivery } from "./scheduled.ts";

interface Changed {
  readonly id: string;
  readonly status: "cancelled" | "queued";
}

const refused = (status: string, allowed: string): Fault =>
  new Fault("message_not_changeable", { message: `The message is ${status}. Only ${allowed}.` });

/** The message, and its object if it is not known. Raises `message_not_found`. */
const find = async (
  tenant: Tenant,
  id: string,
  objects: readonly MessageObject[],
): Promise<{ object: MessageObject; message: StoredMessage }> => {
  for (const object of objects) {
    const message = await messagesOf(tenant, { object }).findOne({ _id: id });
    if (message !== null) return { object, message };
  }
  throw new Fault("message_not_found");
};

/**
 * Cancels a message that is scheduled or queued. The caller's right to change it is checked before.
 * @throws Fault message_not_found, message_not_changeable
 */
export const cancelMessage = async (
  tenant: Tenant,
  id: string,
  objects: readonly MessageObject[] = messageObjects,
): Promise<Changed> => {
  const { object, message } = await find(tenant, id, objects);
  return tenant.transaction(async (session) => {
    const { set, push } = statusChange("cancelled", now(), `Cancelled by ${tenant.caller.name}.`);
    const waiting = { _id: id, status: { $in: ["scheduled" as const, "queued" as const] } };
    const change = { $set: set, $push: push, $unset: { "_delivery.next_attempt_at": "" as const } };
    const before = await messagesOf(tenant, { object }).findOneAndUpdate(waiting, change, { session });
    if (before === null) throw refused(message.status, "scheduled and queued messages can be cancelled");
    if (before.status === "scheduled") {
      const name = messageScheduleName(tenant.organization_id, object, id);
      await addToOutbox(tenant, session, [{ schedule: { action: "remove", name, revision: "1" } }]);
    }
    return { id, status: "cancelled" };
  });
};

/**
 * Lets a message be sent again whose outcome nobody knows, or that has failed. The receiver may get it twice, so that a
 * person decides it. The caller's right to do it is checked before.
 * @throws Fault message_not_found, message_not_changeable
 */
export const resendMessage = async (
  tenant: Tenant,
  id: string,
  objects: readonly MessageObject[] = messageObjects,
): Promise<Changed> => {
  const { object, message } = await find(tenant, id, objects);
  await markBackgroundWork(tenant.organization_id, "messages");
  return tenant.transaction(async (session) => {
    const { set, push } = statusChange("queued", now(), `Sent again by ${tenant.caller.name}.`);
    const ended = { _id: id, status: { $in: ["unknown" as const, "failed" as const] } };
    const revision = (message._delivery?.revision ?? 1) + 1;
    const change = {
      $set: { ...set, _delivery: { attempts: 0, revision } },
      $push: push,
      $unset: { error: "" as const, vendor_message_id: "" as const },
    };
    const { matchedCount } = await messagesOf(tenant, { object }).updateOne(ended, change, { session });
    if (matchedCount === 0) throw refused(message.status, "failed and unknown messages can be sent again");
    await queueDelivery(tenant, [{ object, id }], session);
    return { id, status: "queued" };
  });
};
