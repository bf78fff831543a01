import type { ClientSession } from "mongodb";
import { v7 as uuidv7 } from "uuid";
import { now } from "#shared/foundation/clock";
import { markBackgroundWork } from "../background-work.ts";
import { baseOutbox } from "../base.ts";
import { type MessageEntry, type NewEntry, type OutboxDatabase, type OutboxEntry, outboxOf } from "./entry.ts";
import { addedIn } from "./transactions.ts";

const contentOf = (
  fresh: NewEntry,
): Pick<OutboxEntry, "queue" | "payload" | "group" | "schedule" | "schedule_name"> => {
  if ("schedule" in fresh) return { schedule: JSON.stringify(fresh.schedule), schedule_name: fresh.schedule.name };
  const { queue, payload, group } = fresh;
  return { queue, payload: JSON.stringify(payload), ...(group !== undefined && { group }) };
};

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
  const outgoing = addedIn(session, database);
  if (entries.length === 0) return [];
  await markBackgroundWork(database.organization_id, "outbox");
  const created = now();
  const fresh = entries.map(
    (entry): OutboxEntry => ({ _id: uuidv7(), ...contentOf(entry), created, status: "pending", attempts: 0 }),
  );
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
 * Adds messages of the platform itself to a transaction of the base database, `Base.transaction`. They are sent as
 * those of organizations are. Their contracts have the scope `platform`. Gives the ids of the entries.
 */
export const addToBaseOutbox = async (session: ClientSession, entries: readonly MessageEntry[]): Promise<string[]> =>
  addToOutbox(await baseOutbox(), session, entries);
