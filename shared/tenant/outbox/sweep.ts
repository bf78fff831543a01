import { nowMillis } from "#shared/foundation/clock";
import { BASE, baseOutbox } from "../base.ts";
import { openWithState } from "../organizations.ts";
import { abandonedEntries, failInterrupted, failLost, freeInterrupted } from "./claim.ts";
import { type OutboxDatabase, type OutboxEntry, outboxOf } from "./entry.ts";
import { sendEntries } from "./send.ts";

/** Its own sender has certainly given up after this time. */
const PATIENCE_MS = 30_000;
/** Entries of one organization in a run. */
const MOST = 500;

export interface Sweep {
  readonly sent: number;
  readonly interrupted: number;
  /** Whether a later run must look again. */
  readonly isLeft: boolean;
}

const openSwept = async (name: string): Promise<OutboxDatabase | null> => {
  if (name === BASE) return baseOutbox();
  const opened = await openWithState(name);
  return opened === null || opened.state.status === "deleting" ? null : opened.database;
};

/**
 * Sends what an organization, or the base database, has in its outbox because the sender was stopped or could not reach
 * SQS or Scheduler, and fails entries whose consumer has died after it had begun. Raises `sandbox_refreshing`.
 */
export const sweepOutbox = async (name: string): Promise<Sweep> => {
  const database = await openSwept(name);
  if (database === null) return { sent: 0, interrupted: 0, isLeft: false };
  const outbox = outboxOf(database);
  await Promise.all([
    outbox.createIndex({ expires_at: 1 }, { expireAfterSeconds: 0 }),
    outbox.createIndex({ schedule_name: 1, _id: 1 }, { sparse: true }),
  ]);
  await failLost(database);
  const { pending, interrupted, inFlight } = await abandonedEntries(
    database,
    new Date(nowMillis() - PATIENCE_MS),
    MOST,
  );
  let failed = 0;
  const again: OutboxEntry[] = [];
  for (const entry of interrupted) {
    // Senders of schedules claim them again by themselves.
    if (entry.schedule !== undefined || (await freeInterrupted(database, entry._id))) again.push(entry);
    else if (await failInterrupted(database, entry._id)) failed += 1;
  }
  const sent = await sendEntries(database, [...pending, ...again]);
  return { sent, interrupted: failed, isLeft: inFlight > 0 };
};
