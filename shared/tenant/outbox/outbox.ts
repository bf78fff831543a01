import type { ClientSession } from "mongodb";
import { v7 as uuidv7 } from "uuid";
import { now } from "#shared/foundation/clock";
import { log } from "#shared/foundation/log";
import { markBackgroundWork } from "../background-work.ts";
import type { CountedWrites } from "../counted-writes.ts";
import { type NewEntry, type OutboxDatabase, type OutboxEntry, outboxOf } from "./entry.ts";
import { sendEntries } from "./send.ts";

/** Transaction → the entries that it has added. */
const added = new WeakMap<ClientSession, OutboxEntry[]>();

const entryOf = (fresh: NewEntry, created: Date): OutboxEntry => ({
  _id: uuidv7(),
  ...("queue" in fresh
    ? { queue: fresh.queue, payload: JSON.stringify(fresh.payload) }
    : { schedule: JSON.stringify(fresh.schedule), schedule_name: fresh.schedule.name }),
  created,
  status: "pending",
  attempts: 0,
});

/**
 * Adds messages and changes of schedules to a transaction of the organization, `TenantDatabase.transaction`. They are
 * sent after its commit, at least once, and never if it is rolled back. Earlier changes of the same schedule that are
 * not yet sent are dropped. Gives the ids of the entries.
 */
export const addToOutbox = async (
  database: OutboxDatabase,
  session: ClientSession,
  entries: readonly NewEntry[],
): Promise<string[]> => {
  const outgoing = added.get(session);
  if (outgoing === undefined) throw new Error("The outbox is written in the tenant's own transactions.");
  if (entries.length === 0) return [];
  await markBackgroundWork(database.organization_id, "outbox");
  const created = now();
  const fresh = entries.map((entry) => entryOf(entry, created));
  const schedules = fresh.flatMap(({ schedule_name }) => schedule_name ?? []);
  if (schedules.length > 0) {
    // The job that finds lost schedules visits marked organizations only.
    await markBackgroundWork(database.organization_id, "schedules");
    const earlier = { schedule_name: { $in: schedules }, status: "pending" } as const;
    await outboxOf(database).deleteMany(earlier, { session });
  }
  await outboxOf(database).insertMany(fresh, { session });
  outgoing.push(...fresh);
  return fresh.map(({ _id }) => _id);
};

/**
 * The transactions of an organization, with the sending of what they have added to the outbox. Sending never fails a
 * transaction that was committed: what could not be sent is left to the job sweep-outbox.
 */
export const sendingTransactions =
  (database: OutboxDatabase & CountedWrites): CountedWrites["transaction"] =>
  async (work) => {
    let entries: OutboxEntry[] = [];
    const result = await database.transaction((session) => {
      entries = [];
      added.set(session, entries);
      return work(session);
    });
    if (entries.length === 0) return result;
    try {
      await sendEntries(database, entries);
    } catch (error) {
      log.error({ organization: database.organization_id, err: error }, "the outbox was not sent");
    }
    return result;
  };
