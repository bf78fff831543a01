import type { Collection, Filter, UpdateFilter } from "mongodb";
import { MongoServerError } from "mongodb";
import { v7 as uuidv7 } from "uuid";
import { now, nowMillis } from "#shared/foundation/clock";
import { Fault } from "#shared/foundation/faults";
import type { BillingLease } from "#shared/tenant/tenant";

interface Leased {
  _id: string;
  lease?: BillingLease;
  fence?: number;
}

/** Held by one worker at a time. */
export interface HeldLease {
  readonly id: string;
  /** Higher than that of every earlier holder. */
  readonly fence: number;
  /** Milliseconds since the epoch. Whatever the holder starts has ended by then. */
  readonly until: number;
}

/** Longer than Lambda takes to stop a function at its time limit. */
const GRACE_MS = 10_000;

const DUPLICATE_KEY = 11_000;

const inProgress = (): Fault => new Fault("in_progress");

/** Takes the lease of a document for the rest of an invocation. Raises `in_progress` if somebody else has it. */
export const takeLease = async <T extends Leased>(
  collection: Collection<T>,
  _id: string,
  remaining: number,
  upsert: boolean,
): Promise<{ readonly held: HeldLease; readonly document: T }> => {
  const id = uuidv7();
  const until = nowMillis() + remaining;
  const free = [{ lease: { $exists: false } }, { "lease.until": { $lte: now() } }];
  const filter = { _id, $or: free } as unknown as Filter<T>;
  const lease = { id, until: new Date(until + GRACE_MS) };
  const update = { $set: { lease }, $inc: { fence: 1 } } as unknown as UpdateFilter<T>;
  try {
    const document = await collection.findOneAndUpdate(filter, update, { upsert, returnDocument: "after" });
    if (document === null) throw inProgress();
    return { held: { id, fence: document.fence ?? 0, until }, document: document as T };
  } catch (error) {
    // An upsert beside a document that somebody else holds.
    if (error instanceof MongoServerError && error.code === DUPLICATE_KEY) throw inProgress();
    throw error;
  }
};

/** Gives a lease back, if it is still held. */
export const giveLeaseBack = async <T extends Leased>(
  collection: Collection<T>,
  _id: string,
  { id }: HeldLease,
): Promise<void> => {
  const filter = { _id, "lease.id": id } as unknown as Filter<T>;
  await collection.updateOne(filter, { $unset: { lease: "" } } as unknown as UpdateFilter<T>);
};

/** Raises `in_progress` unless the holder has so many milliseconds left for the next step. */
export const requireTime = ({ until }: HeldLease, milliseconds: number): void => {
  if (nowMillis() + milliseconds > until) throw inProgress();
};
