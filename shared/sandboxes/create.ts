import type { ClientSession } from "mongodb";
import { v7 as uuidv7 } from "uuid";
import { now } from "#shared/foundation/clock";
import { isDuplicateKey } from "#shared/foundation/duplicate-key";
import { Fault } from "#shared/foundation/faults";
import {
  base,
  ensureBaseIndexes,
  type OrganizationEntry,
  type SandboxEntry,
  type SandboxRun,
  type Tenant,
} from "#shared/tenant/tenant";
import { displayNameOf, sandboxIdOf, slugOf } from "./names.ts";
import { unlessDeleted } from "./outcome.ts";
import { changeSandbox, newRun, productionOf, type RegisteredSandbox, sandboxById } from "./registry.ts";
import { stepsOf } from "./run/steps.ts";
import { startRunOrLeave, waitForRun } from "./start.ts";
import { admit, statesFor } from "./states.ts";
import { actorOf, noteInTrail } from "./trail.ts";

export interface NewSandbox {
  readonly name: string;
  readonly description?: string | undefined;
}

/** Sandboxes of one organization. */
const MOST_SANDBOXES = 20;

const sandboxEntry = ({ name, description }: NewSandbox, run: SandboxRun): SandboxEntry => ({
  instance: uuidv7(),
  name,
  description: description ?? null,
  status: "provisioning",
  progress: { step: "register", done: 0, total: stepsOf.create },
  enable_schedules: false,
  created_date: now(),
  refreshed_date: null,
  users: 0,
  run,
});

const entryOf = (parent: OrganizationEntry, wanted: NewSandbox, run: SandboxRun): OrganizationEntry => ({
  _id: sandboxIdOf(parent._id, wanted.name),
  name: displayNameOf(parent.name, wanted.name),
  slug: slugOf(parent.slug, wanted.name),
  cluster: parent.cluster,
  status: "provisioning",
  is_sandbox: true,
  parent_organization_id: parent._id,
  created_date: now(),
  sandbox: sandboxEntry(wanted, run),
});

/** Counts the sandbox for its parent and its cluster, and registers it. */
const store = async (entry: OrganizationEntry, parent: OrganizationEntry, session: ClientSession): Promise<void> => {
  const { organizations, clusters } = await base();
  await organizations.insertOne(entry, { session });
  const { matchedCount } = await organizations.updateOne(
    { _id: parent._id, $or: [{ sandboxes: { $exists: false } }, { sandboxes: { $lt: MOST_SANDBOXES } }] },
    { $inc: { sandboxes: 1 } },
    { session },
  );
  if (matchedCount === 0) throw new Fault("too_many_sandboxes");
  await clusters.updateOne({ _id: entry.cluster }, { $inc: { organizations: 1 } }, { session });
};

/** Registers the run on a sandbox whose creation has failed. Raises `sandbox_exists` and `sandbox_busy`. */
const registerAgain = async (id: string, wanted: NewSandbox, run: SandboxRun): Promise<void> => {
  const entry = await sandboxById(id);
  if (entry === null) throw new Fault("conflict");
  if (entry.sandbox.name !== wanted.name) throw new Fault("sandbox_exists");
  admit("create", entry.sandbox.status);
  const { description, ...sandbox } = sandboxEntry(wanted, run);
  const kept = { description: wanted.description ?? entry.sandbox.description };
  const filter = { "sandbox.status": { $in: statesFor("create") }, "sandbox.instance": entry.sandbox.instance };
  const after = await changeSandbox(id, filter, { $set: { sandbox: { ...sandbox, ...kept } } });
  if (after === null) throw new Fault("sandbox_busy");
};

/** Of two requests for the same sandbox, one registers it. */
const register = async (parent: OrganizationEntry, wanted: NewSandbox, run: SandboxRun): Promise<string> => {
  const { transaction } = await base();
  const entry = entryOf(parent, wanted, run);
  try {
    await transaction((session) => store(entry, parent, session));
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
    await registerAgain(entry._id, wanted, run);
  }
  return entry._id;
};

/**
 * Creates a sandbox, and waits until it can be used, or for so long as a request may. Raises `forbidden` in a sandbox,
 * `sandbox_exists`, `sandbox_busy`, `too_many_sandboxes` and `dependency_unavailable`.
 */
export const createSandbox = async (tenant: Tenant, wanted: NewSandbox): Promise<RegisteredSandbox> => {
  const parent = await productionOf(tenant);
  const id = sandboxIdOf(parent._id, wanted.name);
  const run = newRun("create", actorOf(tenant));
  await tenant.once.send(async () => {
    await ensureBaseIndexes();
    await register(parent, wanted, run);
    await noteInTrail(tenant, "sandbox_created", wanted.name);
    await startRunOrLeave(id, run);
  });
  return unlessDeleted(await waitForRun(id, run.id));
};
