import { type ClientSession, MongoServerError } from "mongodb";
import { boundedCache } from "#shared/foundation/bounded-cache";
import { now } from "#shared/foundation/clock";
import { base } from "./base.ts";
import type { OrganizationEntry } from "./base-documents.ts";
import { clusterClient, clusterNames } from "./clusters.ts";
import { type TenantDatabase, tenantDatabase } from "./database.ts";
import { type OrganizationState, STATE_COLLECTION } from "./documents.ts";
import { isSameCopy, notRegisteredCopy } from "./gate.ts";

/**
 * Organization → its database, as the registry had it. A refresh, a restore or a move makes the entry obsolete, which
 * the generation in the organization's state shows (`readOrganization`).
 */
const opened = boundedCache<TenantDatabase>({ mostBytes: 12 * 1024 * 1024, bytesOf: () => 2_000 });

const forgetPlacement = (organizationId: string): void => {
  opened.delete(organizationId);
};

/** The part of a registry entry that leads to the organization's database. */
export type Placement = Pick<OrganizationEntry, "_id" | "cluster" | "is_sandbox" | "generation"> &
  Partial<Pick<OrganizationEntry, "parent_organization_id">>;

/** Its fields in the registry. */
export const placementFields = { cluster: 1, is_sandbox: 1, parent_organization_id: 1, generation: 1 } as const;

/** The database of an organization whose registry entry, or the place that was reserved for it, is known. */
export const openPlacedOrganization = async (entry: Placement): Promise<TenantDatabase> => {
  const { _id, cluster, is_sandbox, parent_organization_id: parent } = entry;
  const client = await clusterClient(cluster);
  const ofParent = is_sandbox && typeof parent === "string" ? { parent_id: parent } : {};
  const copy = { organization_id: _id, is_sandbox, generation: entry.generation ?? null, ...ofParent };
  return tenantDatabase(client, client.db(_id), copy, () => forgetPlacement(_id));
};

/** The database of a registered organization, or null if it is not in the registry. */
export const openOrganization = async (organizationId: string): Promise<TenantDatabase | null> => {
  const known = opened.get(organizationId);
  if (known !== undefined) return known;
  const { organizations } = await base();
  const entry = await organizations.findOne<Placement>({ _id: organizationId }, { projection: placementFields });
  if (entry === null) return null;
  const database = await openPlacedOrganization(entry);
  opened.set(organizationId, database);
  return database;
};

export interface OpenedOrganization<F> {
  readonly database: TenantDatabase;
  readonly found: F;
  /** Whether the database holds the registered copy of the organization's data. */
  readonly isRegistered: boolean;
}

/** MongoDB's QueryPlanKilled: the collection was replaced while it was read. */
const QUERY_PLAN_KILLED = 175;

const nullIfReplaced = (error: unknown): null => {
  if (error instanceof MongoServerError && error.code === QUERY_PLAN_KILLED) return null;
  throw error;
};

/**
 * Opens an organization and reads its state, and what `read` reads with it. If the remembered database has no state, or
 * one of another generation, the registry is asked again. Null for an unknown organization.
 */
export const readOrganization = async <F extends { readonly state: OrganizationState }>(
  organizationId: string,
  read: (database: TenantDatabase) => Promise<F | null>,
): Promise<OpenedOrganization<F> | null> => {
  const attempt = async (onReplaced: (error: unknown) => null): Promise<OpenedOrganization<F> | null> => {
    const database = await openOrganization(organizationId);
    const found = database === null ? null : await read(database).catch(onReplaced);
    if (database === null || found === null) return null;
    return { database, found, isRegistered: isSameCopy(database, found.state) };
  };
  const first = await attempt(nullIfReplaced);
  if (first?.isRegistered === true) return first;
  forgetPlacement(organizationId);
  return attempt((error) => {
    throw error;
  });
};

/**
 * The database and the state of an organization, for background work; null if it is unknown. Raises
 * `sandbox_refreshing` and `database_unavailable` if the database does not hold the registered copy.
 */
export const openWithState = async (
  organizationId: string,
): Promise<{ database: TenantDatabase; state: OrganizationState } | null> => {
  const organization = await readOrganization(organizationId, async ({ collection }) => {
    const state = await collection<OrganizationState>(STATE_COLLECTION).findOne({ _id: organizationId });
    return state === null ? null : { state };
  });
  if (organization === null) return null;
  const { database, found, isRegistered } = organization;
  if (!isRegistered) throw notRegisteredCopy(database);
  return { database, state: found.state };
};

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
