import type { Filter } from "mongodb";
import { now, nowMillis } from "#shared/foundation/clock";
import type { TenantDatabase } from "#shared/tenant/tenant";
import { vendorFor } from "../vendors/configured.ts";
import { messagesOf } from "./claim.ts";
import { type MessageKey, platformOf, reasonOf, type StoredMessage, statusChange } from "./record.ts";
import { statusesBefore } from "./status.ts";

const MINUTE_MS = 60_000;
/** A message whose delivery is not known after this time stays `sent`. */
const LONGEST_MS = 3 * 24 * 60 * MINUTE_MS;
/** A worker that has died leaves the question to a later one. */
const LEASE_MS = 10 * MINUTE_MS;

/** When a vendor that reports nothing by itself is first asked what became of a message. */
export const firstQuestion = (): Date => new Date(nowMillis() + MINUTE_MS);

/** Messages whose vendor is to be asked what became of them. */
export const toFollow = (at: Date): Filter<StoredMessage> => ({ status: "sent", "_delivery.poll_at": { $lte: at } });
export const followed: Filter<StoredMessage> = { status: "sent", "_delivery.poll_at": { $exists: true } };
export const followLater = (at: Date) => ({ $set: { "_delivery.poll_at": new Date(at.getTime() + LEASE_MS) } });

/** Later and later, so that a lost message costs few questions. Undefined if it is over. */
const nextQuestion = ({ sent_date }: StoredMessage): Date | undefined => {
  const age = nowMillis() - (sent_date instanceof Date ? sent_date.getTime() : 0);
  return age > LONGEST_MS ? undefined : new Date(nowMillis() + Math.max(MINUTE_MS, age / 2));
};

/** Asks the vendor what became of a message that it has taken. Repeatable. */
export const follow = async (database: TenantDatabase, key: MessageKey, message: StoredMessage): Promise<void> => {
  const configured = await vendorFor(database, key.object, platformOf(message));
  const { vendor } = configured ?? {};
  const isSame = vendor !== undefined && vendor.name === message.vendor;
  const answer = isSame ? await vendor.lookup?.(key.id, message.vendor_message_id) : undefined;
  const messages = messagesOf(database, key);
  const at = now();
  const end = async (status: "delivered" | "failed", reason?: string): Promise<void> => {
    const { set, push } = statusChange(status, at, reason);
    await messages.updateOne(
      { _id: key.id, status: { $in: statusesBefore(status) } },
      {
        $set: { ...set, ...(reason !== undefined && { error: reason }) },
        $push: push,
        $unset: { "_delivery.poll_at": "" },
      },
    );
  };
  if (answer !== undefined && answer !== "unknown") {
    if (answer.outcome === "refused") return end("failed", reasonOf(answer.reason));
    if (answer.outcome === "accepted" && answer.status === "delivered") return end("delivered");
  }
  const next = nextQuestion(message);
  await messages.updateOne(
    { _id: key.id, status: "sent" },
    next === undefined ? { $unset: { "_delivery.poll_at": "" } } : { $set: { "_delivery.poll_at": next } },
  );
};
