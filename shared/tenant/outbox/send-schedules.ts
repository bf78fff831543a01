import { v7 as uuidv7 } from "uuid";
import { putSchedule, removeSchedule } from "#shared/foundation/aws/scheduler";
import { now, nowMillis } from "#shared/foundation/clock";
import { log } from "#shared/foundation/log";
import { type OutboxDatabase, type OutboxEntry, outboxOf, type ScheduleChange } from "./entry.ts";

/** Longer than a call of Scheduler with its retries. */
const LEASE_MS = 60_000;

const apply = async (text: string): Promise<void> => {
  // Only `addToOutbox` writes it.
  const { action, ...change } = JSON.parse(text) as ScheduleChange;
  if (action === "remove") return removeSchedule(change.name);
  return putSchedule(change as Extract<ScheduleChange, { action: "put" }>);
};

/** Whether another sender works on an earlier change of the same schedule. */
const isBlocked = async (database: OutboxDatabase, { _id, schedule_name = "" }: OutboxEntry): Promise<boolean> => {
  const ofOthers = { schedule_name, _id: { $lt: _id }, status: "running" } as const;
  return (await outboxOf(database).findOne({ ...ofOthers, "lease.until": { $gt: now() } })) !== null;
};

/** Takes the entry, unless another sender has it or works on an earlier change of the same schedule. */
const claim = async (database: OutboxDatabase, id: string): Promise<OutboxEntry | null> => {
  const outbox = outboxOf(database);
  for (;;) {
    const lease = { id: uuidv7(), until: new Date(nowMillis() + LEASE_MS) };
    const free = {
      $or: [{ status: "pending" as const }, { status: "running" as const, "lease.until": { $lte: now() } }],
    };
    const mine = await outbox.findOneAndUpdate(
      { _id: id, ...free },
      { $set: { status: "running", lease } },
      { returnDocument: "after" },
    );
    if (mine === null || !(await isBlocked(database, mine))) return mine;
    await outbox.updateOne({ _id: id, "lease.id": lease.id }, { $set: { status: "pending" }, $unset: { lease: "" } });
    // The other sender looks for later changes at its end, but may have looked while this one was taken.
    if (await isBlocked(database, mine)) return null;
  }
};

/** Whether it was sent. */
const sendOne = async (database: OutboxDatabase, id: string): Promise<boolean> => {
  const mine = await claim(database, id);
  if (mine === null) return false;
  const held = { _id: id, "lease.id": mine.lease?.id ?? "" };
  try {
    await apply(mine.schedule ?? "");
  } catch (error) {
    await outboxOf(database).updateOne(held, { $set: { status: "pending" }, $unset: { lease: "" } });
    log.error({ organization: database.organization_id, entry: id, err: error }, "a schedule was not changed");
    return false;
  }
  await outboxOf(database).deleteOne(held);
  return true;
};

/** Schedules that are changed at the same time. */
const AT_ONCE = 8;
/** No change is begun later. A request waits for the first ones; the job sweep-outbox does the others. */
const LONGEST_MS = 8_000;

/** Sends the changes of one schedule, one after the other. Gives the number of those that were sent. */
const sendChanges = async (database: OutboxDatabase, entries: readonly OutboxEntry[]): Promise<number> => {
  let sent = 0;
  for (const { _id, schedule_name } of entries) {
    if (!(await sendOne(database, _id))) continue;
    sent += 1;
    // Another sender may have left a later change of this schedule meanwhile.
    const later = { schedule_name: schedule_name ?? "", _id: { $gt: _id }, status: "pending" } as const;
    const next = await outboxOf(database).findOne(later, { sort: { _id: -1 } });
    if (next !== null && !entries.some((entry) => entry._id === next._id)) await sendOne(database, next._id);
  }
  return sent;
};

/**
 * Changes the schedules of entries. Changes of one schedule are never made at the same time, because Scheduler keeps
 * the last one that it gets. Gives the number of entries that were sent; the others stay pending.
 */
export const sendSchedules = async (database: OutboxDatabase, entries: readonly OutboxEntry[]): Promise<number> => {
  const end = nowMillis() + LONGEST_MS;
  const waiting = [...Map.groupBy(entries, ({ schedule_name }) => schedule_name).values()].values();
  let sent = 0;
  const worker = async (): Promise<void> => {
    for (const changes of waiting) {
      sent += await sendChanges(database, changes);
      if (nowMillis() > end) return;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return sent;
};
