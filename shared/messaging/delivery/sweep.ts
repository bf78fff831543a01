import { type MessageObject, messageObjects } from "#contracts/message-delivery";
import { now } from "#shared/foundation/clock";
import { openWithState, type TenantDatabase } from "#shared/tenant/tenant";
import { messagesOf } from "./claim.ts";
import { followed, followLater, toFollow } from "./follow.ts";
import { eventOf } from "./record.ts";
import { queueDelivery } from "./scheduled.ts";

/** Messages of one transaction. */
const PAGE = 200;
/** A queued message has lost what brings it to a worker if nothing has happened for so long, or there is a backlog. */
const LOST_MS = 60 * 60_000;
/** Milliseconds that the job needs to end. */
const RESERVE_MS = 10_000;

export interface MessageSweep {
  readonly due: number;
  readonly interrupted: number;
  /** Whether a later run must look again. */
  readonly isLeft: boolean;
}

const waiting = { status: { $in: ["scheduled" as const, "queued" as const, "sending" as const] } };

const toSweep = (at: Date) => ({
  ...waiting,
  $or: [
    { "_delivery.next_attempt_at": { $lte: at } },
    {
      status: "queued" as const,
      "_delivery.next_attempt_at": { $exists: false },
      last_event_time: { $lte: new Date(at.getTime() - LOST_MS) },
    },
  ],
});

/** Queues what is due, in one transaction, so that it is neither lost nor queued twice. Gives the numbers. */
const sweepPage = (database: TenantDatabase, object: MessageObject): Promise<{ due: number; interrupted: number }> =>
  database.transaction(async (session) => {
    const messages = messagesOf(database, { object });
    const at = now();
    const found = await messages
      .find(toSweep(at), { session })
      .project<{ _id: string; status: string; _delivery?: { next_attempt_at?: Date } }>({
        status: 1,
        "_delivery.next_attempt_at": 1,
      })
      .limit(PAGE)
      .toArray();
    if (found.length === 0) return { due: 0, interrupted: 0 };
    const ids = found.map(({ _id }) => _id);
    const scheduled = { _id: { $in: ids }, status: "scheduled" as const };
    const late = eventOf("queued", at, "Its schedule was late.");
    const toQueue = { $set: { status: "queued" as const, last_event_time: at }, $push: { events: late } };
    await messages.updateMany(scheduled, toQueue, { session });
    const lost = found.filter((one) => one.status === "queued" && one._delivery?.next_attempt_at === undefined);
    const again = eventOf("queued", at, "It was queued again.");
    await messages.updateMany(
      { _id: { $in: lost.map(({ _id }) => _id) } },
      { $set: { last_event_time: at }, $push: { events: again } },
      { session },
    );
    await messages.updateMany({ _id: { $in: ids } }, { $unset: { "_delivery.next_attempt_at": "" } }, { session });
    await queueDelivery(
      database,
      ids.map((id) => ({ object, id })),
      session,
    );
    const interrupted = found.filter(({ status }) => status === "sending").length;
    return { due: found.length - interrupted, interrupted };
  });

/** Queues the questions for vendors that do not report by themselves. Gives whether there are more, now or later. */
const sweepFollowed = async (database: TenantDatabase): Promise<boolean> => {
  const object = "sms_message";
  const messages = messagesOf(database, { object });
  if ((await messages.findOne(followed, { projection: { _id: 1 } })) === null) return false;
  await messages.createIndex({ "_delivery.poll_at": 1 }, { sparse: true });
  await database.transaction(async (session) => {
    const at = now();
    const found = await messages
      .find(toFollow(at), { session })
      .project<{ _id: string }>({ _id: 1 })
      .limit(PAGE)
      .toArray();
    if (found.length === 0) return;
    const ids = found.map(({ _id }) => _id);
    await messages.updateMany({ _id: { $in: ids }, status: "sent" }, followLater(at), { session });
    await queueDelivery(
      database,
      ids.map((id) => ({ object, id })),
      session,
    );
  });
  return true;
};

/**
 * Lets the messages of an organization be delivered whose time has come, and those be resolved whose worker has died.
 * Raises `sandbox_refreshing`.
 */
export const sweepMessages = async (organizationId: string, remaining: () => number): Promise<MessageSweep> => {
  const opened = await openWithState(organizationId);
  if (opened === null || opened.state.status === "deleting") return { due: 0, interrupted: 0, isLeft: false };
  const { database } = opened;
  const total = { due: 0, interrupted: 0 };
  let isLeft = await sweepFollowed(database);
  for (const object of messageObjects) {
    const messages = messagesOf(database, { object });
    if ((await messages.findOne(waiting, { projection: { _id: 1 } })) === null) continue;
    isLeft = true;
    await messages.createIndex({ "_delivery.next_attempt_at": 1 }, { sparse: true });
    while (remaining() > RESERVE_MS) {
      const { due, interrupted } = await sweepPage(database, object);
      total.due += due;
      total.interrupted += interrupted;
      if (due + interrupted < PAGE) break;
    }
  }
  return { ...total, isLeft };
};
