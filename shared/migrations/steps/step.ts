import type { OrganizationState, TenantDatabase } from "#shared/tenant/tenant";
import type { Origin } from "#shared/trail/trail";

/** What a migration did or would do, in a few names and numbers. Empty if there was nothing to do. */
export type MigrationResult = Readonly<Record<string, unknown>>;

/** An organization whose database is migrated. */
export interface MigratedOrganization extends TenantDatabase {
  readonly state: OrganizationState;
  /** The platform, as it stands in audit entries. */
  readonly origin: Origin;
}

/**
 * The work of a migration. It may be repeated, also after a kill in the middle, and may run at the same time as requests
 * of this and the earlier release.
 */
export interface MigrationStep<Database> {
  run(database: Database): Promise<MigrationResult>;
  /** What `run` would do. Writes nothing. */
  preview(database: Database): Promise<MigrationResult>;
}

/** Steps of the base database open it themselves. */
export type BaseStep = MigrationStep<undefined>;
export type TenantStep = MigrationStep<MigratedOrganization>;
