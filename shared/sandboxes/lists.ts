import type { ClientSession, Document, Filter } from "mongodb";
import { Fault } from "#shared/foundation/faults";
import {
  base,
  type OrganizationEntry,
  type OrganizationListEntry,
  openOrganization,
  SANDBOX_LINK_COLLECTION,
  type SandboxLink,
  type TenantDatabase,
} from "#shared/tenant/tenant";
import { listEntryOf } from "./names.ts";
import type { RegisteredSandbox } from "./registry.ts";

/** Identities and user records have the list in the same field. */
interface Listed {
  _id: string;
  organizations: OrganizationListEntry[];
}

type Bulk = readonly { readonly filter: Filter<Listed>; readonly change: Document }[];

/** Enters the sandbox into the lists of these users, with its present name and description. Repeatable. */
const entering = (entry: OrganizationListEntry, users: readonly string[]): Bulk => {
  const among = { _id: { $in: [...users] } };
  return [
    { filter: { ...among, "organizations.id": entry.id }, change: { $set: { "organizations.$": entry } } },
    { filter: { ...among, "organizations.id": { $ne: entry.id } }, change: { $push: { organizations: entry } } },
  ];
};

const leaving = (id: string, among: Filter<Listed> = {}): Bulk => [
  { filter: { ...among, "organizations.id": id }, change: { $pull: { organizations: { id } } } },
];

const parentOf = async ({ parent_organization_id }: RegisteredSandbox): Promise<TenantDatabase> => {
  const parent = await openOrganization(parent_organization_id);
  if (parent === null) throw new Error("The parent organization is not in the registry.");
  return parent;
};

const linksOf = ({ collection }: TenantDatabase) => collection<SandboxLink>(SANDBOX_LINK_COLLECTION);

/** Lets users of the parent have the sandbox in their lists. Repeatable. */
export const linkToParent = async (entry: RegisteredSandbox): Promise<void> => {
  const { instance } = entry.sandbox;
  await linksOf(await parentOf(entry)).updateOne(
    { _id: entry._id },
    { $set: { instance }, $setOnInsert: { changes: 0 } },
    { upsert: true },
  );
};

/** Raises `sandbox_busy` if the sandbox is being deleted. */
const changeInParent = async (entry: RegisteredSandbox, bulk: Bulk): Promise<void> => {
  const parent = await parentOf(entry);
  await parent.transaction(async (session) => {
    const { matchedCount } = await linksOf(parent).updateOne(
      { _id: entry._id, instance: entry.sandbox.instance },
      { $inc: { changes: 1 } },
      { session },
    );
    if (matchedCount === 0) throw new Fault("sandbox_busy", { message: "This sandbox is being deleted." });
    for (const { filter, change } of bulk)
      await parent.collection<Listed>("user").updateMany(filter, change, { session });
  });
};

type RegistryFilter = Filter<OrganizationEntry>;

/** The registry entry is touched in the same transaction, so that a change does not run beside a removal. */
const changeInBase = async (
  { _id, sandbox: { instance } }: RegisteredSandbox,
  bulk: Bulk,
  registered: RegistryFilter,
  also?: (session: ClientSession) => Promise<void>,
): Promise<void> => {
  const { organizations, users, transaction } = await base();
  await transaction(async (session) => {
    const { matchedCount } = await organizations.updateOne(
      { ...registered, _id, "sandbox.instance": instance },
      { $inc: { list_changes: 1 } },
      { session },
    );
    if (matchedCount === 0)
      throw new Fault("sandbox_busy", { message: "Another operation on this sandbox is running; try again." });
    for (const { filter, change } of bulk) await users.updateMany(filter as Document, change, { session });
    await also?.(session);
  });
};

/**
 * Enters the sandbox into the lists of these users, first in the parent's database. `registered`: what the registry entry
 * must be for it. Raises `sandbox_busy`.
 */
export const enterListsOf = async (
  entry: RegisteredSandbox,
  users: readonly string[],
  registered: RegistryFilter,
): Promise<void> => {
  const bulk = entering(listEntryOf(entry), users);
  await changeInParent(entry, bulk);
  await changeInBase(entry, bulk, registered);
};

/** Takes the sandbox out of the lists of these users, first in the base database. Raises `sandbox_busy`. */
export const leaveListsOf = async (
  entry: RegisteredSandbox,
  users: Filter<Listed>,
  registered: RegistryFilter,
): Promise<void> => {
  const bulk = leaving(entry._id, users);
  await changeInBase(entry, bulk, registered);
  await changeInParent(entry, bulk);
};

/** Takes a sandbox that is deleted out of all lists. Nobody can enter it any more. Repeatable. */
export const leaveAllLists = async (entry: RegisteredSandbox, registered: RegistryFilter): Promise<void> => {
  const { _id, parent_organization_id } = entry;
  const { users } = await base();
  await changeInBase(entry, leaving(_id), registered, async (session) => {
    const last = { last_organization_id: parent_organization_id };
    await users.updateMany({ last_organization_id: _id }, { $set: last }, { session });
  });
  const parent = await parentOf(entry);
  await parent.transaction(async (session) => {
    await linksOf(parent).deleteOne({ _id }, { session });
    for (const { filter, change } of leaving(_id)) {
      await parent.collection<Listed>("user").updateMany(filter, change, { session });
    }
  });
};
