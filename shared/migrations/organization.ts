import { settleIndexes, unsettledIndexes } from "#shared/data/schema/schema";
import { elapsedMillis, now, nowMillis } from "#shared/foundation/clock";
import { Fault } from "#shared/foundation/faults";
import {
  base,
  isSameCopy,
  notRegisteredCopy,
  type OrganizationEntry,
  type OrganizationState,
  openPlacedOrganization,
  type Placement,
  STATE_COLLECTION,
} from "#shared/tenant/tenant";
import { ledgerOf, thisRelease } from "./ledger/ledger.ts";
import type { MigratedOrganization } from "./steps/step.ts";
import { tenantSteps } from "./steps/steps.ts";

export type PlacedOrganization = Placement & Pick<OrganizationEntry, "index_change_at">;

/** A failure that names the migration. */
export class MigrationError extends Error {
  readonly migration: string;

  constructor(migration: string, cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.migration = migration;
  }
}

const open = async (entry: PlacedOrganization): Promise<MigratedOrganization> => {
  const { _id } = entry;
  const database = await openPlacedOrganization(entry);
  const state = await database.collection<OrganizationState>(STATE_COLLECTION).findOne({ _id });
  if (state === null) throw new Fault("internal_error", { message: "The database has no organization state." });
  if (!isSameCopy(database, state)) throw notRegisteredCopy(database);
  return { ...database, state, origin: { by: null, retentionDays: state.audit_retention_days } };
};

const missingMigrations = async (organization: MigratedOrganization) => {
  const entries = await ledgerOf(organization)
    .find({}, { projection: { _id: 1 } })
    .toArray();
  const done = new Set(entries.map(({ _id }) => _id));
  return thisRelease().tenants.filter(({ id }) => !done.has(id));
};

const named = async <T>(migration: string, work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    throw new MigrationError(migration, error);
  }
};

/** Indexes are compared with the model at each run, because administrators change it too. They are in no ledger. */
const INDEXES = "indexes";

/** Migration → what it would do. */
export type Preview = Readonly<Record<string, unknown>>;

export const previewOrganization = async (entry: PlacedOrganization): Promise<Preview> => {
  const organization = await open(entry);
  const preview: Record<string, unknown> = {};
  for (const { id, name } of await missingMigrations(organization)) {
    preview[id] = await named(id, async () => (await tenantSteps[name]()).preview(organization));
  }
  const objects = await named(INDEXES, () => unsettledIndexes(organization));
  return objects.length === 0 ? preview : { ...preview, [INDEXES]: { objects } };
};

/** Longer than a request runs. A change of the model that is older has been committed or given up. */
const LONGEST_CHANGE_MS = 60_000;

/**
 * Records that the organization is up to date, unless a change of the model may have asked for an index meanwhile.
 */
const noteMigrated = async ({ _id, index_change_at }: PlacedOrganization): Promise<void> => {
  if (index_change_at !== undefined && index_change_at.getTime() > nowMillis() - LONGEST_CHANGE_MS) return;
  const unchanged = index_change_at === undefined ? { $exists: false } : { $eq: index_change_at };
  const { organizations } = await base();
  await organizations.updateOne(
    { _id, index_change_at: unchanged },
    { $set: { migrated: thisRelease().id }, $unset: { index_change_at: "", migration_failure: "" } },
  );
};

/** Runs what is missing, and gives the ids of the completed migrations. Raises MigrationError. */
export const migrateOrganization = async (entry: PlacedOrganization): Promise<string[]> => {
  const organization = await named("open", () => open(entry));
  const completed: string[] = [];
  for (const { id, name } of await missingMigrations(organization)) {
    const start = elapsedMillis();
    const result = await named(id, async () => (await tenantSteps[name]()).run(organization));
    const duration = Math.round(elapsedMillis() - start);
    await ledgerOf(organization).updateOne({ _id: id }, { $set: { at: now(), duration, result } }, { upsert: true });
    completed.push(id);
  }
  const objects = await named(INDEXES, () => settleIndexes(organization));
  if (objects.length > 0) completed.push(INDEXES);
  await noteMigrated(entry);
  return completed;
};
