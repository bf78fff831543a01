import type { ClientSession } from "mongodb";
import type { TenantDatabase } from "#shared/tenant/tenant";
import { entryOf, type Origin, TRAIL_OBJECT, type TrailEntry, type TrailEvent } from "./entry.ts";

type AuditedDatabase = Pick<TenantDatabase, "collection">;

export const trailOf = ({ collection }: AuditedDatabase) => collection<TrailEntry>(TRAIL_OBJECT);

/** Writes audit entries, in the transaction of the change. */
export const writeTrail = async (
  database: AuditedDatabase,
  origin: Origin,
  events: readonly TrailEvent[],
  session: ClientSession,
): Promise<void> => {
  if (events.length === 0) return;
  await trailOf(database).insertMany(
    events.map((event) => entryOf(origin, event)),
    { session },
  );
};

/**
 * Writes the audit entry of a change outside of the organization's database, before the change, because no transaction
 * covers both. There can be an entry whose change failed, but no change without an entry.
 */
export const writeEntryAhead = async (database: AuditedDatabase, origin: Origin, event: TrailEvent): Promise<void> => {
  await trailOf(database).insertOne(entryOf(origin, event));
};

/** Indexes by time, by record, by person and for the retention, with the names that `shared/data/records` gives them. */
export const ensureTrailIndexes = async (database: AuditedDatabase): Promise<void> => {
  const paths = ["at", "record_id", "by.id"];
  const byPath = paths.map((path) => ({ key: { [path]: 1, _id: 1 }, name: `tenantry_${path}+id` }));
  const expiry = { key: { expires_at: 1 }, name: "expires_at_ttl", expireAfterSeconds: 0 };
  await trailOf(database).createIndexes([...byPath, expiry]);
};
