import type { Filter, UpdateFilter } from "mongodb";
import { v7 as uuidv7 } from "uuid";
import { now, nowMillis } from "#shared/foundation/clock";
import { Fault } from "#shared/foundation/faults";
import {
  base,
  type OrganizationEntry,
  type SandboxEntry,
  type SandboxOperation,
  type SandboxRun,
  type Tenant,
} from "#shared/tenant/tenant";

/** A sandbox's registry entry. */
export type RegisteredSandbox = OrganizationEntry & {
  readonly sandbox: SandboxEntry;
  readonly parent_organization_id: string;
};

/** A sandbox that a run works on. */
export type HeldSandbox = RegisteredSandbox & { readonly sandbox: { readonly run: SandboxRun } };

/** How long a request works on a run before the first task does. */
const REQUEST_LEASE_MS = 2 * 60_000;

export const isSandbox = (entry: OrganizationEntry | null): entry is RegisteredSandbox =>
  entry !== null && entry.sandbox !== undefined && entry.parent_organization_id !== null;

const onlyFromProduction = (): Fault =>
  new Fault("forbidden", { message: "Sandboxes are managed from their production organization only." });

/** The registry entry of the caller's organization. Raises `forbidden` in a sandbox. */
export const productionOf = async ({
  organization_id,
}: Pick<Tenant, "organization_id">): Promise<OrganizationEntry> => {
  const { organizations } = await base();
  const entry = await organizations.findOne({ _id: organization_id });
  if (entry === null) throw new Error("The organization is not in the registry.");
  if (entry.is_sandbox) throw onlyFromProduction();
  return entry;
};

/** The production organization and one of its sandboxes. Raises `forbidden` and `sandbox_not_found`. */
export const sandboxNamed = async (
  tenant: Pick<Tenant, "organization_id">,
  name: string,
): Promise<{ parent: OrganizationEntry; entry: RegisteredSandbox }> => {
  const parent = await productionOf(tenant);
  const { organizations } = await base();
  const entry = await organizations.findOne({ parent_organization_id: parent._id, "sandbox.name": name });
  if (!isSandbox(entry)) throw new Fault("sandbox_not_found");
  return { parent, entry };
};

/** The sandboxes of an organization, by name. */
export const sandboxesOf = async (parentId: string): Promise<RegisteredSandbox[]> => {
  const { organizations } = await base();
  const entries = await organizations
    .find({ parent_organization_id: parentId, is_sandbox: true })
    .sort({ "sandbox.name": 1 })
    .toArray();
  return entries.filter(isSandbox);
};

export const sandboxById = async (id: string): Promise<RegisteredSandbox | null> => {
  const { organizations } = await base();
  const entry = await organizations.findOne({ _id: id });
  return isSandbox(entry) ? entry : null;
};

export const newRun = (operation: SandboxOperation, by: SandboxRun["by"]): SandboxRun => ({
  id: uuidv7(),
  operation,
  by,
  started: now(),
  lease_until: new Date(nowMillis() + REQUEST_LEASE_MS),
});

/** The entry after the change, or null if it does not fit the filter. */
export const changeSandbox = async (
  id: string,
  filter: Filter<OrganizationEntry>,
  change: UpdateFilter<OrganizationEntry> | Record<string, unknown>[],
): Promise<RegisteredSandbox | null> => {
  const { organizations } = await base();
  const after = await organizations.findOneAndUpdate({ ...filter, _id: id }, change, { returnDocument: "after" });
  return isSandbox(after) ? after : null;
};
