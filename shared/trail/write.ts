import type { ClientSession } from "mongodb";
import type { TenantDatabase } from "#shared/tenant/tenant";
import { entryOf, type Origin, TRAIL_OBJECT, type TrailEntry, type TrailEvent } from "./entry.ts";

type Written = Pick<TenantDatabase, "collection">;

export const trailOf = ({ collection }: Written) => collection<TrailEntry>(TRAIL_OBJECT);

/** Writes down what happened, in the transaction of what it tells of. */
export const writeTrail = async (
  database: Written,
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
 * Writes down what is about to happen outside of the organization's database, where no transaction reaches. The entry is first:
 * a change without its entry cannot be, an entry whose change failed can.
 */
export const announce = async (database: Written, origin: Origin, event: TrailEvent): Promise<void> => {
  await trailOf(database).insertOne(entryOf(origin, event));
};

/** By time, by record and by person. The names are those that the records library gives. */
export const ensureTrailIndexes = async (database: Written): Promise<void> => {
  const paths = ["at", "record_id", "by.id"];
  await trailOf(database).createIndexes(
    paths.map((path) => ({ key: { [path]: 1, _id: 1 }, name: `tenantry_${path}+id` })),
  );
};
