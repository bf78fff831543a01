import type * as z from "zod";
import { configurationKinds } from "#contracts/sandbox-bodies";
import type { registerSandboxRun } from "#contracts/sandbox-workflow";
import { Fault } from "#shared/foundation/faults";
import { base } from "#shared/tenant/tenant";
import { linkToParent } from "../lists.ts";
import type { HeldSandbox } from "../registry.ts";
import { changeSandbox } from "../registry.ts";
import { holdRun, type RunInput } from "./hold.ts";
import { provisioningOf } from "./place.ts";
import { stepsOf } from "./steps.ts";

type Registered = z.input<typeof registerSandboxRun.output>;

const nothing = { kinds: [], versions: {} };

/** Records for which release the copied database is made, before anything of it is copied. */
const noteRelease = async ({ _id, parent_organization_id, sandbox: { run } }: HeldSandbox): Promise<void> => {
  const { organizations } = await base();
  const parent = await organizations.findOne({ _id: parent_organization_id }, { projection: { migrated: 1 } });
  if (parent === null) throw new Fault("internal_error", { message: "The parent organization is gone." });
  if (parent.migrated === undefined) return;
  await changeSandbox(_id, { "sandbox.run.id": run.id }, { $set: { "sandbox.run.migrated": parent.migrated } });
};

const prepare = async (entry: HeldSandbox): Promise<Registered> => {
  await noteRelease(entry);
  const provisioning = await provisioningOf(entry);
  if (entry.generation === undefined) {
    const versions = { schema_version: 1, access_version: 1 };
    await provisioning.createState({ _id: entry._id, status: "provisioning", ...versions, indexed: {} });
    // Nobody writes before the first copy is complete.
    await provisioning.createFence(entry.sandbox.run.id);
  }
  const state = await provisioning.parentState();
  if (state === null) throw new Fault("internal_error", { message: "The parent organization has no state." });
  const versions = { ...state.collection_versions, schemas: state.schema_version };
  return { path: "copy", kinds: [...configurationKinds], versions };
};

/** Begins a run, and says what it does. Repeatable. */
export const registerRun = async (input: RunInput): Promise<Registered> => {
  const entry = await holdRun(input, "register");
  const { run } = entry.sandbox;
  const total = stepsOf[run.operation];
  await changeSandbox(input.sandbox_id, { "sandbox.run.id": run.id }, { $set: { "sandbox.progress.total": total } });
  if (run.operation === "delete") return { path: "delete", ...nothing };
  await linkToParent(entry);
  return run.committing === undefined ? prepare(entry) : { path: "switch", ...nothing };
};
