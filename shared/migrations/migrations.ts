/** Brings the databases of earlier releases to this one. docs/migrations.md says how to add a migration. */
export { type MigrationOptions, type MigrationReport, migrateAll } from "./run.ts";
