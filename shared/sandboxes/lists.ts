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
import { type HeldSandbox, type RegisteredSandbox, sandboxById } from "./registry.ts";

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

/**
 * Lets users of the parent have the sandbox in their lists, which this run alone changes until `releaseLists`. If the run
 * was superseded meanwhile, nothing is left of it. Repeatable.
 */
export const linkToParent = async (entry: HeldSandbox): Promise<void> => {
  const { instance, run } = entry.sandbox;
  const links = linksOf(await parentOf(entry));
  const { id } = run;
  await links.updateOne(
    { _id: entry._id },
    { $set: { instance, run: id }, $setOnInsert: { changes: 0 } },
    { upsert: true },
  );
  const present = await sandboxById(entry._id);
  if (present?.sandbox.run?.id === id) return;
  const mine = { _id: entry._id, instance, run: id };
  if (present?.sandbox.instance === instance && present.sandbox.status !== "deleting")
    await links.updateOne(mine, { $unset: { run: true } });
  else await links.deleteOne(mine);
};

/** Lets requests change the lists again, if they have opened the present copy. Repeatable. */
export const releaseLists = async (entry: HeldSandbox): Promise<void> => {
  const { generation, sandbox } = entry;
  await linksOf(await parentOf(entry)).updateOne(
    { _id: entry._id, run: sandbox.run.id },
    { $unset: { run: true }, ...(generation !== undefined && { $set: { generation } }) },
  );
};

const elsewhere = (): Fault =>
  new Fault("sandbox_busy", {
    message: "Another operation on this sandbox is running; try again.",
    headers: { "retry-after": "5" },
  });

/** `link`: what the link must be for it, besides of this instance. Raises `sandbox_busy`. */
const changeInParent = async (entry: RegisteredSandbox, bulk: Bulk, link: Filter<SandboxLink>): Promise<void> => {
  const parent = await parentOf(entry);
  await parent.transaction(async (session) => {
    const { matchedCount } = await linksOf(parent).updateOne(
      { ...link, _id: entry._id, instance: entry.sandbox.instance },
      { $inc: { changes: 1 } },
      { session },
    );
    if (matchedCount === 0) throw elsewhere();
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
    if (matchedCount === 0) throw elsewhere();
    for (const { filter, change } of bulk) await users.updateMany(filter as Document, change, { session });
    await also?.(session);
  });
};

/** The sandbox can be used, and has the copy that was opened. */
const asOpened = ({ generation }: RegisteredSandbox): RegistryFilter => ({
  "sandbox.status": "active",
  generation: generation ?? { $exists: false },
});

const linkAsOpened = ({ generation }: RegisteredSandbox): Filter<SandboxLink> => ({
  generation: generation ?? { $exists: false },
  run: { $exists: false },
});

/** Enters the sandbox into the lists of these users, first in the parent's database. Raises `sandbox_busy`. */
export const enterListsOf = async (entry: RegisteredSandbox, users: readonly string[]): Promise<void> => {
  const bulk = entering(listEntryOf(entry), users);
  await changeInParent(entry, bulk, linkAsOpened(entry));
  await changeInBase(entry, bulk, asOpened(entry));
};

/** Takes the sandbox out of the lists of these users, first in the base database. Raises `sandbox_busy`. */
export const leaveListsOf = async (entry: RegisteredSandbox, users: readonly string[]): Promise<void> => {
  const bulk = leaving(entry._id, { _id: { $in: [...users] } });
  await changeInBase(entry, bulk, asOpened(entry));
  await changeInParent(entry, bulk, linkAsOpened(entry));
};

/** Makes these users, and no others, have the sandbox in their lists. Repeatable. Raises `sandbox_busy`. */
export const setListsOf = async (
  entry: HeldSandbox,
  users: readonly string[],
  registered: RegistryFilter,
): Promise<void> => {
  const leave = leaving(entry._id, { _id: { $nin: [...users] } });
  const enter = entering(listEntryOf(entry), users);
  await changeInBase(entry, leave, registered);
  await changeInParent(entry, [...leave, ...enter], { run: entry.sandbox.run.id });
  await changeInBase(entry, enter, registered);
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
