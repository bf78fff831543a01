/** Brings the databases of earlier releases to this one. docs/migrations.md says how to add a migration. */
export { migrateAll } from "./run.ts";
