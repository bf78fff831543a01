import { setTimeout } from "node:timers/promises";
import { v7 as uuidv7 } from "uuid";
import { nowMillis } from "#shared/foundation/clock";
import { type OrganizationState, STATE_COLLECTION, type TenantDatabase } from "#shared/tenant/tenant";

const LEASE_MS = 60_000;
const RENEWAL_MS = 15_000;
const POLL_MS = 500;

type Leased = Pick<TenantDatabase, "organization_id" | "collection">;

const leaseUntil = (): Date => new Date(nowMillis() + LEASE_MS);

/**
 * Runs `work` while nobody else builds or drops indexes of the object. Undefined if somebody else still does after
 * `patience` milliseconds. The lease of a process that was killed ends within a minute.
 */
export const withIndexLease = async <T>(
  { organization_id: _id, collection }: Leased,
  object: string,
  patience: number,
  work: () => Promise<T>,
): Promise<T | undefined> => {
  const states = collection<OrganizationState>(STATE_COLLECTION);
  const lease = `index_builds.${object}`;
  const id = uuidv7();
  const take = async (): Promise<boolean> => {
    const free = [{ [lease]: { $exists: false } }, { [`${lease}.until`]: { $lt: new Date(nowMillis()) } }];
    const { matchedCount } = await states.updateOne(
      { _id, $or: free },
      { $set: { [lease]: { id, until: leaseUntil() } } },
    );
    return matchedCount === 1;
  };
  const end = nowMillis() + patience;
  while (!(await take())) {
    if (nowMillis() >= end) return undefined;
    await setTimeout(POLL_MS);
  }
  const mine = { _id, [`${lease}.id`]: id };
  const renewal = setInterval(() => {
    // A renewal that fails is followed by another one before the lease ends.
    states.updateOne(mine, { $set: { [`${lease}.until`]: leaseUntil() } }).catch(() => undefined);
  }, RENEWAL_MS);
  try {
    return await work();
  } finally {
    clearInterval(renewal);
    await states.updateOne(mine, { $unset: { [lease]: "" } });
  }
};
