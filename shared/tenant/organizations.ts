import type { ClientSession } from "mongodb";
import { boundedCache } from "#shared/foundation/bounded-cache";
import { now } from "#shared/foundation/clock";
import { base } from "./base.ts";
import { clusterClient, clusterNames } from "./clusters.ts";
import { type TenantDatabase, tenantDatabase } from "./database.ts";

/** Organization → its database. The placement changes only when an operator moves it, which the router detects. */
const opened = boundedCache<TenantDatabase>({ mostBytes: 12 * 1024 * 1024, bytesOf: () => 2_000 });

export const forgetPlacement = (organizationId: string): void => {
  opened.delete(organizationId);
};

const openOn = async (cluster: string, organizationId: string): Promise<TenantDatabase> => {
  const client = await clusterClient(cluster);
  return tenantDatabase(client, client.db(organizationId), organizationId);
};

/** The database of a registered organization, or null if it is not in the registry. */
export const openOrganization = async (organizationId: string): Promise<TenantDatabase | null> => {
  const known = opened.get(organizationId);
  if (known !== undefined) return known;
  const { organizations } = await base();
  const entry = await organizations.findOne({ _id: organizationId }, { projection: { cluster: 1 } });
  if (entry === null) return null;
  const database = await openOn(entry.cluster, organizationId);
  opened.set(organizationId, database);
  return database;
};

/** The database of an organization whose registry entry, or the place that was reserved for it, is known. */
export const openPlacedOrganization = (organizationId: string, cluster: string): Promise<TenantDatabase> =>
  openOn(cluster, organizationId);

/** Lets the next run of the migrations look at the organization, which may lack an index after this moment. */
export const askForMigration = async (organizationId: string): Promise<void> => {
  const { organizations } = await base();
  await organizations.updateOne(
    { _id: organizationId },
    { $set: { index_change_at: now() }, $unset: { migrated: "" } },
  );
};

/**
 * Counts a new organization onto the open cluster that holds the fewest. Clusters that are in the secret but have no
 * entry yet are taken as open and empty. Runs in the caller's transaction on the base database.
 */
export const reserveInCluster = async (session: ClientSession): Promise<string> => {
  const { clusters } = await base();
  const names = await clusterNames();
  const entries = await clusters.find({}, { session }).toArray();
  const count = new Map(names.map((name) => [name, 0]));
  for (const entry of entries) {
    if (!entry.open) count.delete(entry._id);
    else if (count.has(entry._id)) count.set(entry._id, entry.organizations);
  }
  const [fewest] = [...count].sort((a, b) => a[1] - b[1] || a[0].localeCompare(b[0]));
  if (fewest === undefined) throw new Error("No MongoDB cluster is open for new organizations.");
  await clusters.updateOne(
    { _id: fewest[0] },
    { $inc: { organizations: 1 }, $setOnInsert: { open: true } },
    { session, upsert: true },
  );
  return fewest[0];
};
