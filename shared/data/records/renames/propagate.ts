import type { Collection, Filter } from "mongodb";
import { schemasOf } from "#shared/data/schema/schema";
import { elapsedMillis } from "#shared/foundation/clock";
import { exceededTimeLimit, type PendingRename, RENAMES_COLLECTION, type Tenant } from "#shared/tenant/tenant";
import type { StoredRecord } from "../stored-record.ts";
import { type Place, placesOf, referencesIn } from "./places.ts";

/** What a rename needs of a tenant: a request has it, and so has an operator's job with the state of an organization. */
export type RenamingTenant = Pick<
  Tenant,
  "organization_id" | "generation" | "collection" | "collectionNames" | "transaction" | "state"
>;

/** Referring records in one transaction. */
const BATCH = 500;

export interface RenameLimits {
  readonly milliseconds: number;
  /** Referring records that are written. */
  readonly records: number;
}

/** What is left of the limits. */
export interface Budget {
  records: number;
  /** As `elapsedMillis`. */
  readonly end: number;
}

export const budgetOf = ({ milliseconds, records }: RenameLimits): Budget => ({
  records,
  end: elapsedMillis() + milliseconds,
});

export const isSpent = ({ records, end }: Budget): boolean => records <= 0 || elapsedMillis() >= end;

export const renamesOf = (tenant: Pick<Tenant, "collection">): Collection<PendingRename> =>
  tenant.collection<PendingRename>(RENAMES_COLLECTION);

/** Another rename of one of the records was committed meanwhile. The request that made it propagates the newer name. */
class Superseded extends Error {}

const inTheirVersions = (pending: readonly PendingRename[]): Filter<PendingRename> => ({
  $or: pending.map(({ _id, version }) => ({ _id, version })),
});

/** A referring record and the targets whose names are outdated in it. */
interface Outdated {
  readonly record: string;
  readonly targets: readonly string[];
}

type ByTarget = ReadonlyMap<string, PendingRename>;

const outdatedIn = (record: StoredRecord, { field }: Place, renames: ByTarget): Outdated => {
  const targets = referencesIn(record[field]).flatMap(({ id, schema, name }) => {
    const rename = renames.get(id);
    return rename !== undefined && rename.object === schema && rename.name !== name ? [id] : [];
  });
  return { record: record._id, targets: [...new Set(targets)] };
};

/**
 * Writes a batch. In the same transaction the pending renames are touched in the version that was read: a transaction
 * that renames the record once more changes the same document, so the older name is never written after the newer one.
 */
const writeBatch = (
  tenant: RenamingTenant,
  place: Place,
  batch: readonly Outdated[],
  renames: ByTarget,
): Promise<void> => {
  const records = new Map<string, string[]>();
  for (const { record, targets } of batch)
    for (const target of targets) records.set(target, [...(records.get(target) ?? []), record]);
  const used = [...records.keys()].flatMap((target) => renames.get(target) ?? []);
  return tenant.transaction(async (session) => {
    const { matchedCount } = await renamesOf(tenant).updateMany(
      inTheirVersions(used),
      { $inc: { batches: 1 } },
      { session },
    );
    if (matchedCount < used.length) throw new Superseded();
    await tenant.collection<StoredRecord>(place.object).bulkWrite(
      used.map(({ record_id, name }) => place.renaming(record_id, name, records.get(record_id) ?? [])),
      { session },
    );
  });
};

/** Whether all references of one field have the new names. False when the budget is spent. */
const propagateTo = async (
  tenant: RenamingTenant,
  place: Place,
  renames: ByTarget,
  budget: Budget,
): Promise<boolean> => {
  if (isSpent(budget)) return false;
  const found = tenant.collection<StoredRecord>(place.object).find(place.referring([...renames.keys()]), {
    projection: { [place.field]: 1 },
    batchSize: BATCH,
    maxTimeMS: Math.max(Math.ceil(budget.end - elapsedMillis()), 1),
  });
  let batch: Outdated[] = [];
  const flush = async (): Promise<void> => {
    if (batch.length === 0) return;
    await writeBatch(tenant, place, batch, renames);
    budget.records -= batch.length;
    batch = [];
  };
  try {
    for await (const record of found) {
      const outdated = outdatedIn(record, place, renames);
      if (outdated.targets.length === 0) continue;
      batch.push(outdated);
      if (batch.length < Math.min(BATCH, budget.records)) continue;
      await flush();
      if (isSpent(budget)) return false;
    }
    await flush();
    return true;
  } finally {
    await found.close();
  }
};

/** Most objects have no records, and so no collection. */
const existingPlaces = async (tenant: RenamingTenant, target: string): Promise<Place[]> => {
  const places = placesOf(Object.values(await schemasOf(tenant)), target);
  const names = new Set(await tenant.collectionNames());
  return places.filter((place) => names.has(place.object));
};

/** Whether all places have the new names. False when the budget is spent. Raises `Superseded`. */
const propagateToAll = async (
  tenant: RenamingTenant,
  object: string,
  pending: readonly PendingRename[],
  budget: Budget,
): Promise<boolean> => {
  const renames: ByTarget = new Map(pending.map((rename) => [rename.record_id, rename]));
  for (const place of await existingPlaces(tenant, object))
    if (!(await propagateTo(tenant, place, renames, budget))) return false;
  return true;
};

/**
 * Brings the new names into all references to the renamed records, which are records of one object, and then deletes the
 * pending renames. Idempotent. False when the budget is spent. A rename that a newer one has superseded is left to it.
 */
export const propagate = async (
  tenant: RenamingTenant,
  object: string,
  pending: readonly PendingRename[],
  budget: Budget,
): Promise<boolean> => {
  if (pending.length === 0) return true;
  try {
    if (!(await propagateToAll(tenant, object, pending, budget))) return false;
  } catch (error) {
    if (exceededTimeLimit(error)) return false;
    if (!(error instanceof Superseded)) throw error;
    const left = await renamesOf(tenant).find(inTheirVersions(pending)).toArray();
    return propagate(tenant, object, left, budget);
  }
  await renamesOf(tenant).deleteMany(inTheirVersions(pending));
  return true;
};
