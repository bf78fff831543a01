import { createHash } from "node:crypto";
import { nowMillis } from "#shared/foundation/clock";
import { isDuplicateKey } from "#shared/foundation/duplicate-key";
import { Fault } from "#shared/foundation/faults";
import { networkOf } from "#shared/foundation/network";
import { base } from "#shared/tenant/tenant";

const MINUTE_MS = 60_000;
/** Of one address and one automation in a minute. */
const PER_AUTOMATION = 60;
/** Of one address for all automations, also those that do not exist. */
const PER_ADDRESS = 300;

/** A hash, so that addresses are not stored. */
const counterId = (...parts: readonly (string | number)[]): string =>
  createHash("sha256").update(JSON.stringify(parts)).digest("base64url");

const tooMany = (until: number): Fault =>
  new Fault("too_many_attempts", {
    message: "This address has run automations too often; try again in a minute.",
    headers: { "retry-after": String(Math.max(1, Math.ceil((until - nowMillis()) / 1000))) },
  });

const count = async (id: string, until: number): Promise<number> => {
  const { publicRuns } = await base();
  const increment = () =>
    publicRuns.findOneAndUpdate(
      { _id: id },
      { $inc: { count: 1 }, $setOnInsert: { expires_at: new Date(until + MINUTE_MS) } },
      { upsert: true, returnDocument: "after" },
    );
  // Of several first ones at the same time all but one fail.
  const counted = await increment().catch((error: unknown) => {
    if (isDuplicateKey(error)) return increment();
    throw error;
  });
  return counted?.count ?? 1;
};

/**
 * Counts a request, before anything is looked up, and in the same way whether or not the automation exists. Raises
 * `too_many_attempts`.
 */
export const countAttempt = async (organizationId: string, automationId: string, address: string): Promise<void> => {
  const network = networkOf(address);
  const minute = Math.floor(nowMillis() / MINUTE_MS);
  const until = (minute + 1) * MINUTE_MS;
  const [ofAddress, ofAutomation] = await Promise.all([
    count(counterId(network, minute), until),
    count(counterId(network, minute, organizationId, automationId), until),
  ]);
  if (ofAddress > PER_ADDRESS || ofAutomation > PER_AUTOMATION) throw tooMany(until);
};
