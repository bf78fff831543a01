import { v7 as uuidv7 } from "uuid";
import { now } from "#shared/foundation/clock";
import { isDuplicateKey } from "#shared/foundation/duplicate-key";
import { Fault } from "#shared/foundation/faults";
import { networkOf } from "#shared/foundation/network";
import { base, type Slots } from "#shared/tenant/tenant";
import { attemptKey } from "../sign-in/address.ts";

/**
 * Requests for a new password that are accepted within two seconds, on the whole platform and from one network. Anybody
 * may send them, and each can make a mail.
 */
const MAX_HELD = 60;
const MAX_OF_NETWORK = 30;
const WITHIN_MS = 2_000;

/** The same for every email, so that it does not tell whether an account exists. */
const busy = (): Fault =>
  new Fault("too_many_attempts", {
    message: "Too many people ask for a new password right now; try again shortly.",
    headers: { "retry-after": "2" },
  });

const ID = "password_reset";

type Slot = Slots["held"][number];

/**
 * Removes expired slots and adds this one if the limits allow it. False if they do not, or if the document does not
 * exist.
 */
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

/** Creates the document, once in the life of a platform. False if it exists. */
const create = async (slot: Slot): Promise<boolean> => {
  const { slots } = await base();
  if ((await slots.findOne({ _id: ID }, { projection: { _id: 1 } })) !== null) return false;
  try {
    await slots.insertOne({ _id: ID, held: [slot] });
    return true;
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
    return add(slot);
  }
};

/** Counts a request. Raises `too_many_attempts` if there were too many. */
export const takeResetSlot = async (address: string): Promise<void> => {
  const until = new Date(now().getTime() + WITHIN_MS);
  const slot: Slot = { id: uuidv7(), network: attemptKey("reset", networkOf(address)), until };
  if (!(await add(slot)) && !(await create(slot))) throw busy();
};
