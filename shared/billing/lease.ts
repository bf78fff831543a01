import type { Collection } from "mongodb";
import { v7 as uuidv7 } from "uuid";
import { now, nowMillis } from "#shared/foundation/clock";
import { isDuplicateKey } from "#shared/foundation/duplicate-key";
import { Fault } from "#shared/foundation/faults";
import type { Leased } from "#shared/tenant/tenant";

type LeasedCollection = Pick<Collection<Leased>, "findOneAndUpdate" | "updateOne">;

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

const inProgress = (): Fault => new Fault("in_progress");

/** Takes the lease of a document for the rest of an invocation. Raises `in_progress` if somebody else has it. */
export const takeLease = async (
  collection: LeasedCollection,
  _id: string,
  remaining: number,
  upsert: boolean,
): Promise<HeldLease> => {
  const id = uuidv7();
  const until = nowMillis() + remaining;
  const free = [{ lease: { $exists: false } }, { "lease.until": { $lte: now() } }];
  const lease = { id, until: new Date(until + GRACE_MS) };
  try {
    const document = await collection.findOneAndUpdate(
      { _id, $or: free },
      { $set: { lease }, $inc: { fence: 1 } },
      { upsert, returnDocument: "after", projection: { fence: 1 } },
    );
    if (document === null) throw inProgress();
    return { id, fence: document.fence ?? 0, until };
  } catch (error) {
    // An upsert beside a document that somebody else holds.
    if (isDuplicateKey(error)) throw inProgress();
    throw error;
  }
};

/** Gives a lease back, if it is still held. */
export const giveLeaseBack = async (collection: LeasedCollection, _id: string, { id }: HeldLease): Promise<void> => {
  await collection.updateOne({ _id, "lease.id": id }, { $unset: { lease: "" } });
};

/** Raises `in_progress` unless the holder has so many milliseconds left for the next step. */
export const requireTime = ({ until }: HeldLease, milliseconds: number): void => {
  if (nowMillis() + milliseconds > until) throw inProgress();
};
