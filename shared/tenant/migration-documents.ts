/** Documents of migrations. Moments are BSON dates. */

/** A migration that was completed in a database. `_id` is its id. In the base database and in every tenant's. */
export interface LedgerEntry {
  _id: string;
  at: Date;
  /** Milliseconds. 0 in a new organization, which needs no migration. */
  duration: number;
  /** What it did. */
  result: Record<string, unknown>;
}

/** A failure of one organization's migration. */
export interface MigrationFailure {
  run_id: string;
  migration: string;
  reason: string;
  at: Date;
}

/** One run over all organizations, and what it has come to. Kept for 90 days. */
export interface MigrationRun {
  _id: string;
  release: string;
  started: Date;
  finished?: Date;
  /** Number of invocations that have worked on it. */
  invocations: number;
  done: number;
  failed: number;
  skipped: number;
  /** Migration → number of databases in which this run completed it. */
  by_migration?: Record<string, number>;
  expires_at: Date;
}

/** The part of an organization's registry entry that migrations use. */
export interface MigrationState {
  /** The release that its database is made for. Absent in organizations of releases before it existed. */
  migrated?: string;
  /** When a change of the model last asked for an index. Set before the change, and `migrated` is removed with it. */
  index_change_at?: Date;
  migration_lease?: { id: string; until: Date };
  migration_failure?: MigrationFailure;
}
