import { MongoServerError } from "mongodb";
import { v7 as uuidv7 } from "uuid";
import { now } from "#shared/foundation/clock";
import { Fault } from "#shared/foundation/faults";
import { base, type Slots } from "#shared/tenant/tenant";
import { attemptKey, networkOf } from "../sign-in/address.ts";

/**
 * How many requests for a new password are worked on at a time, over the whole platform and from one network. Each holds an
 * execution environment for its two seconds, and anybody may send them. An environment works on one at a time by itself.
 */
const MAX_HELD = 60;
const MAX_OF_NETWORK = 30;

/** Longer than the function runs: a slot of one that was cut off becomes free by itself. */
const LEASE_MS = 30_000;

const DUPLICATE_KEY = 11000;

/** The same for every email, so it tells nothing about any. */
const busy = (): Fault =>
  new Fault("too_many_attempts", {
    message: "Too many people ask for a new password right now; try again shortly.",
    headers: { "retry-after": "2" },
  });

const ID = "password_reset";

type Slot = Slots["held"][number];

/** Adds the slot and takes out those that have expired, if there is room; false if there is none or no document yet. */
const add = async (slot: Slot): Promise<boolean> => {
  const { slots } = await base();
  const live = { $filter: { input: "$held", as: "one", cond: { $gt: ["$$one.until", now()] } } };
  const own = { $filter: { input: live, as: "one", cond: { $eq: ["$$one.network", slot.network] } } };
  const room = { $and: [{ $lt: [{ $size: live }, MAX_HELD] }, { $lt: [{ $size: own }, MAX_OF_NETWORK] }] };
  const taken = await slots.updateOne({ _id: ID, $expr: room }, [
    { $set: { held: { $concatArrays: [live, [{ $literal: slot }]] } } },
  ]);
  return taken.matchedCount === 1;
};

/** Once in the life of a platform. False if the document is there. */
const create = async (slot: Slot): Promise<boolean> => {
  const { slots } = await base();
  if ((await slots.findOne({ _id: ID }, { projection: { _id: 1 } })) !== null) return false;
  try {
    await slots.insertOne({ _id: ID, held: [slot] });
    return true;
  } catch (error) {
    if (!(error instanceof MongoServerError && error.code === DUPLICATE_KEY)) throw error;
    return add(slot);
  }
};

/** Runs work while it holds one of the slots. Raises `too_many_attempts` at once if none is free. */
export const holdingSlot = async (address: string, work: () => Promise<void>): Promise<void> => {
  const until = new Date(now().getTime() + LEASE_MS);
  const slot: Slot = { id: uuidv7(), network: attemptKey("reset", networkOf(address)), until };
  if (!(await add(slot)) && !(await create(slot))) throw busy();
  try {
    await work();
  } finally {
    const { slots } = await base();
    await slots.updateOne({ _id: ID }, { $pull: { held: { id: slot.id } } });
  }
};
