import { randomInt } from "node:crypto";
import { now, nowMillis } from "#shared/foundation/clock";
import { type TenantDatabase, VENDOR_CIRCUIT_COLLECTION, type VendorCircuit } from "#shared/tenant/tenant";
import { CALL_MS } from "./claim.ts";

/** Failures in a row that open a circuit. */
const MOST_FAILURES = 5;
const FIRST_OPEN_MS = 30_000;
const LONGEST_OPEN_MS = 10 * 60_000;
/** While one message tries whether the vendor is up again. */
const PROBE_MS = CALL_MS + 5_000;
/** Messages that wait for a circuit come back over this time. */
const SPREAD_MS = 30_000;

const circuitsOf = ({ collection }: TenantDatabase) => collection<VendorCircuit>(VENDOR_CIRCUIT_COLLECTION);

/** `closed`: nothing has failed. `failing`: the vendor may be called. A time: when to come back. */
type Passage = "closed" | "failing" | Date;

/** Whether the vendor may be called now. The first caller after the circuit was open tries alone. */
export const passCircuit = async (database: TenantDatabase, id: string): Promise<Passage> => {
  const circuits = circuitsOf(database);
  const circuit = await circuits.findOne({ _id: id });
  if (circuit === null) return "closed";
  if (circuit.open_until === undefined) return "failing";
  const probe = new Date(nowMillis() + PROBE_MS);
  const { matchedCount } = await circuits.updateOne(
    { _id: id, open_until: { $lte: now() } },
    { $set: { open_until: probe } },
  );
  if (matchedCount > 0) return "failing";
  return new Date(Math.max(circuit.open_until.getTime(), nowMillis()) + randomInt(1, SPREAD_MS));
};

/** The vendor has answered, so that it is up. */
export const closeCircuit = async (database: TenantDatabase, id: string): Promise<void> => {
  await circuitsOf(database).deleteOne({ _id: id });
};

/** The vendor has failed. The circuit opens after some failures in a row, and for longer after each further one. */
export const countFailure = async (database: TenantDatabase, id: string): Promise<void> => {
  const circuits = circuitsOf(database);
  const after = await circuits.findOneAndUpdate(
    { _id: id },
    { $inc: { failures: 1 }, $set: { last_failure: now() } },
    { upsert: true, returnDocument: "after" },
  );
  const beyond = (after?.failures ?? 0) - MOST_FAILURES;
  if (beyond < 0) return;
  const open = Math.min(LONGEST_OPEN_MS, FIRST_OPEN_MS * 2 ** Math.min(beyond, 10));
  await circuits.updateOne({ _id: id }, { $set: { open_until: new Date(nowMillis() + open) } });
};
