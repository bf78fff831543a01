import { v7 as uuidv7 } from "uuid";
import { nowMillis } from "#shared/foundation/clock";
import { base, type MigrationFailure } from "#shared/tenant/tenant";

const LEASE_MS = 60_000;
const RENEWAL_MS = 15_000;

const leaseUntil = (): Date => new Date(nowMillis() + LEASE_MS);

/**
 * Runs `work` while no other run works on the organization. Undefined if another one does. The lease of a process that
 * was killed ends within a minute.
 */
export const withLease = async <T>(
  organizationId: string,
  work: () => Promise<T>,
): Promise<{ value: T } | undefined> => {
  const { organizations } = await base();
  const id = uuidv7();
  const mine = { _id: organizationId, "migration_lease.id": id };
  const { matchedCount } = await organizations.updateOne(
    {
      _id: organizationId,
      $or: [{ migration_lease: { $exists: false } }, { "migration_lease.until": { $lt: new Date(nowMillis()) } }],
    },
    { $set: { migration_lease: { id, until: leaseUntil() } } },
  );
  if (matchedCount === 0) return undefined;
  const renewal = setInterval(() => {
    // A renewal that fails is followed by another one before the lease ends.
    organizations.updateOne(mine, { $set: { "migration_lease.until": leaseUntil() } }).catch(() => undefined);
  }, RENEWAL_MS);
  try {
    return { value: await work() };
  } finally {
    clearInterval(renewal);
    await organizations.updateOne(mine, { $unset: { migration_lease: "" } });
  }
};

export const noteFailure = async (organizationId: string, failure: MigrationFailure): Promise<void> => {
  const { organizations } = await base();
  await organizations.updateOne({ _id: organizationId }, { $set: { migration_failure: failure } });
};
