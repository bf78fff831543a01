import { log } from "#shared/foundation/log";
import { dropOrphan, isNextName, isNextNameOf, sandboxDatabases } from "#shared/tenant/provisioning/provisioning";
import { sandboxById } from "../registry.ts";
import { provisioningOf } from "./place.ts";

export interface Sweep {
  /** Databases of sandboxes that are not in the registry. */
  readonly databases: number;
  /** Copies that no run uses. */
  readonly copies: number;
}

/** The number of copies that were dropped. */
const sweepCopies = async (id: string): Promise<number> => {
  const entry = await sandboxById(id);
  if (entry === null) return 0;
  const provisioning = await provisioningOf(entry);
  const copies = (await provisioning.collections()).filter(isNextName);
  // Read after the names, so that the copies of a run that began meanwhile are not among them.
  const run = (await sandboxById(id))?.sandbox.run;
  // A run that was taken over has another id than the one that made the copies.
  const committed = new Set(run?.committing?.collections.map(({ from }) => from));
  const isUsed = (name: string): boolean => run !== undefined && (isNextNameOf(name, run.id) || committed.has(name));
  const strange = copies.filter((name) => !isUsed(name));
  for (const name of strange) await provisioning.drop(name);
  return strange.length;
};

/**
 * Drops what tasks have left that were stopped or superseded: copies that no run uses, and databases that a late copy made
 * after its sandbox was deleted. Repeatable.
 */
export const sweepLeftovers = async (): Promise<Sweep> => {
  const counts = { databases: 0, copies: 0 };
  for (const database of await sandboxDatabases()) {
    // A sandbox is registered before it has a database, and unregistered after.
    if ((await sandboxById(database.name)) === null) {
      await dropOrphan(database);
      counts.databases += 1;
      log.warn({ organization: database.name }, "a database without a sandbox was dropped");
    } else counts.copies += await sweepCopies(database.name);
  }
  return counts;
};
