import { v7 as uuidv7 } from "uuid";
import { now, nowMillis } from "#shared/foundation/clock";
import { log } from "#shared/foundation/log";
import { markBackgroundWork } from "../background-work.ts";
import { type OutboxDatabase, type OutboxEntry, outboxOf } from "./entry.ts";

const FAILED_KEPT_MS = 7 * 24 * 60 * 60_000;

/** Longer than Lambda takes to stop a function at its time limit. */
const GRACE_MS = 10_000;

export interface Failure {
  readonly code: string;
  readonly message: string;
}

/** An entry on which the caller alone works. */
export interface Claimed {
  readonly id: string;
  /** As JSON. */
  readonly payload: string;
  readonly created: Date;
  /** 1 for the first one. */
  readonly attempt: number;
  readonly postponed: number;
  /** As `OutboxEntry.group`. */
  readonly group: string;
  /** What an earlier attempt has begun, so that it must not be begun again; null if nothing. */
  readonly begun: readonly string[] | null;
  readonly lease: string;
}

/** `gone`: done, failed or of a replaced copy. `busy`: another consumer works on it. */
export type Claim = Claimed | "gone" | "busy";

export const held = ({ id, lease }: Claimed) => ({ _id: id, "lease.id": lease });

const failedNow = ({ code, message }: Failure) => {
  const at = nowMillis();
  return {
    $set: {
      status: "failed" as const,
      failure: { code, message, at: new Date(at) },
      expires_at: new Date(at + FAILED_KEPT_MS),
    },
    $unset: { lease: "" as const },
  };
};

/** A consumer that dies each time must not be started for ever. */
const MOST_ATTEMPTS = 5;

/** Entries whose consumer has died. */
const dead = () => ({ queue: { $exists: true }, status: "running" as const, "lease.until": { $lte: now() } });

/** Whether nothing that must not happen twice was begun, so that it can be handled again. */
const canBeRepeated = { begun: { $exists: false }, attempts: { $lt: MOST_ATTEMPTS } };

/**
 * Fails an entry whose consumer has died after it had begun: nobody knows how far it came, so it is not handled again.
 * False if it is none.
 */
export const failInterrupted = async (database: OutboxDatabase, id: string): Promise<boolean> => {
  const failure = { code: "interrupted", message: "The function that worked on it has ended in the middle." };
  const filter = { _id: id, ...dead(), $nor: [canBeRepeated] };
  const before = await outboxOf(database).findOneAndUpdate(filter, failedNow(failure));
  if (before === null) return false;
  log.error({ organization: database.organization_id, queue: before.queue, entry: id }, "a message was interrupted");
  return true;
};

/** Lets an entry whose consumer has died before it had begun be sent again. False if it is none. */
export const freeInterrupted = async (database: OutboxDatabase, id: string): Promise<boolean> => {
  const free = { $set: { status: "pending" as const }, $unset: { lease: "" as const } };
  const { matchedCount } = await outboxOf(database).updateOne({ _id: id, ...dead(), ...canBeRepeated }, free);
  return matchedCount > 0;
};

/**
 * Takes an entry for at most `milliseconds`, after which its work has certainly ended. Of any number of callers only
 * one gets it.
 */
export const claimEntry = async (database: OutboxDatabase, id: string, milliseconds: number): Promise<Claim> => {
  await markBackgroundWork(database.organization_id, "outbox");
  const outbox = outboxOf(database);
  const lease = { id: uuidv7(), until: new Date(nowMillis() + milliseconds + GRACE_MS) };
  const mine = await outbox.findOneAndUpdate(
    { _id: id, $or: [{ status: { $in: ["pending", "sent"] } }, { ...dead(), ...canBeRepeated }] },
    { $set: { status: "running", lease }, $inc: { attempts: 1 } },
    { returnDocument: "after" },
  );
  if (mine !== null) {
    const { payload = "{}", group = database.organization_id, created, attempts, postponed = 0, begun = null } = mine;
    return { id, payload, group, created, attempt: attempts, postponed, begun, lease: lease.id };
  }
  const other = await outbox.findOne({ _id: id, status: { $ne: "failed" } });
  if (other === null || (await failInterrupted(database, id))) return "gone";
  return "busy";
};

/** The work is done. */
export const completeEntry = async (database: OutboxDatabase, claimed: Claimed): Promise<void> => {
  await outboxOf(database).deleteOne(held(claimed));
};

/** The work has failed for good. */
export const failEntry = async (database: OutboxDatabase, claimed: Claimed, failure: Failure): Promise<void> => {
  await outboxOf(database).updateOne(held(claimed), failedNow(failure));
};

/** The work has failed, and the next delivery of the message tries again. */
export const releaseEntry = async (
  database: OutboxDatabase,
  claimed: Claimed,
  { code, message }: Failure,
): Promise<void> => {
  await outboxOf(database).updateOne(held(claimed), {
    $set: { status: "sent", failure: { code, message, at: now() } },
    $unset: { lease: "" },
  });
};

/** The work has not begun, and another message tries later. */
export const postponeEntry = async (database: OutboxDatabase, claimed: Claimed): Promise<void> => {
  await outboxOf(database).updateOne(held(claimed), {
    $set: { status: "sent" },
    $inc: { postponed: 1, attempts: -1 },
    $unset: { lease: "", begun: "" },
  });
};

/** Longer than SQS keeps a message in a queue and then in its dead-letter queue. */
const LOST_MS = 29 * 24 * 60 * 60_000;

/** Fails entries whose messages were removed, or given up and never brought back. */
export const failLost = async (database: OutboxDatabase): Promise<void> => {
  const created = { $lte: new Date(nowMillis() - LOST_MS) };
  const failure = { code: "lost", message: "Its message does not exist any more." };
  await outboxOf(database).updateMany({ status: "sent", created }, failedNow(failure));
};

/** Entries that nobody else completes, in the order of their creation. */
export const abandonedEntries = async (
  database: OutboxDatabase,
  olderThan: Date,
  limit: number,
): Promise<{ pending: OutboxEntry[]; interrupted: OutboxEntry[]; inFlight: number }> => {
  const outbox = outboxOf(database);
  const oldest = { sort: { _id: 1 as const }, limit };
  const [pending, interrupted, inFlight] = await Promise.all([
    outbox.find({ status: "pending", created: { $lte: olderThan } }, oldest).toArray(),
    outbox.find({ status: "running", "lease.until": { $lte: now() } }, oldest).toArray(),
    outbox.countDocuments({ status: { $in: ["pending", "running"] } }, { limit: 1 }),
  ]);
  return { pending, interrupted, inFlight };
};
