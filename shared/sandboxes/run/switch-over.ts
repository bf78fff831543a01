import type { Document } from "mongodb";
import { v7 as uuidv7 } from "uuid";
import { itemsWithSchedules, removeSchedules, SCHEDULED_ITEM } from "#shared/data/records/scheduling/scheduling";
import { indexPlanOf, resolveSchema } from "#shared/data/schema/schema";
import { leaveFiles } from "#shared/documents/documents";
import { Fault } from "#shared/foundation/faults";
import type { Provisioning } from "#shared/tenant/provisioning/provisioning";
import { keptCollections, type OrganizationState, type Replacement, SESSION_COLLECTION } from "#shared/tenant/tenant";
import type { HeldSandbox } from "../registry.ts";
import { changeSandbox } from "../registry.ts";
import { byRun, completeStep, holdRun, type RunInput, superseded } from "./hold.ts";
import { provisioningOf } from "./place.ts";

/** Milliseconds that transactions of requests may hold up the switch-over, while no other request is let in. */
const FENCE_MS = 10_000;

type Committing = NonNullable<HeldSandbox["sandbox"]["run"]["committing"]>;

/** Raises `sandbox_run_superseded`. */
const changeHeld = async ({ _id, sandbox: { run } }: HeldSandbox, change: Document): Promise<void> => {
  if ((await changeSandbox(_id, byRun({ run_id: run.id }), { $set: change })) === null) throw superseded();
};

/** Otherwise the old collections would stay, or be dropped, beside the new ones. */
const requireCopies = async (provisioning: Provisioning, copies: readonly Replacement[]): Promise<void> => {
  const names = new Set(await provisioning.collections());
  const missing = copies.find(({ from }) => !names.has(from));
  if (copies.length > 0 && missing === undefined) return;
  throw new Fault("internal_error", { message: `The copy of "${missing?.to ?? "everything"}" is gone.` });
};

/**
 * From here on the switch-over is only completed, never undone. It comes before the gate, so that an attempt that was
 * given up cannot close a sandbox in which nothing runs. Raises `sandbox_run_superseded`.
 */
const commit = async (
  entry: HeldSandbox,
  provisioning: Provisioning,
  copies: readonly Replacement[],
): Promise<Committing> => {
  const { committing } = entry.sandbox.run;
  if (committing !== undefined) return committing;
  await requireCopies(provisioning, copies);
  const fresh = { generation: uuidv7(), collections: copies };
  const filter = { ...byRun({ run_id: entry.sandbox.run.id }), "sandbox.run.committing": { $exists: false } };
  const after = await changeSandbox(entry._id, filter, { $set: { "sandbox.run.committing": fresh } });
  if (after === null) throw superseded();
  return fresh;
};

/** The state of the new copy. Its versions start again, and its generation is a new one. */
const newState = async (
  { _id, sandbox }: HeldSandbox,
  provisioning: Provisioning,
  { generation, collections }: Committing,
): Promise<OrganizationState> => {
  const parent = await provisioning.parentState();
  if (parent === null) throw new Fault("internal_error", { message: "The parent organization has no state." });
  const objects = collections.map(({ to }) => to);
  const schemas = await provisioning.own("schemas", [{ $match: { _id: { $in: objects } } }]);
  const plans = schemas.map(resolveSchema).map((schema) => [schema.api_name, indexPlanOf(schema).fingerprint] as const);
  const { second_factor_required, audit_retention_days, country, has_readers, sensitive_names } = parent;
  return {
    _id,
    status: "active",
    generation,
    schema_version: 1,
    access_version: 1,
    indexed: Object.fromEntries(plans),
    enable_schedules: sandbox.enable_schedules,
    ...(second_factor_required !== undefined && { second_factor_required }),
    ...(audit_retention_days !== undefined && { audit_retention_days }),
    ...(country !== undefined && { country }),
    ...(has_readers !== undefined && { has_readers }),
    ...(sensitive_names !== undefined && { sensitive_names }),
  };
};

/**
 * Raises `sandbox_run_superseded` if another attempt has completed the switch-over, or the sandbox is being deleted.
 */
const dropOthers = async (
  provisioning: Provisioning,
  before: string | undefined,
  { collections }: Committing,
): Promise<void> => {
  const kept = new Set(collections.map(({ to }) => to));
  const others = (await provisioning.collections()).filter((name) => !kept.has(name) && !keptCollections.has(name));
  for (const name of others) {
    // Behind the gate nobody but this run makes collections.
    if (!(await provisioning.isGated(before))) throw superseded();
    await provisioning.drop(name);
  }
};

/**
 * Puts the copies in the place of the old collections. Between the gate and the new state no request is answered, so
 * none sees both. Repeatable at every point; an attempt that comes late does nothing.
 */
export const switchOverStep = async (
  input: RunInput & { readonly copies?: readonly Replacement[] | undefined },
): Promise<void> => {
  const entry = await holdRun(input, "switch-over");
  const provisioning = await provisioningOf(entry);
  const committing = await commit(entry, provisioning, input.copies ?? []);
  const { generation } = committing;
  const before = (await provisioning.state())?.generation;
  if (before !== generation) {
    if (!(await provisioning.raiseGate(before))) throw superseded();
    await provisioning.closeFence(generation, FENCE_MS);
    await removeSchedules(entry._id, await provisioning.own(SCHEDULED_ITEM, itemsWithSchedules));
    for (const { from, to } of committing.collections) await provisioning.replace(from, to);
    await dropOthers(provisioning, before, committing);
    await leaveFiles(entry._id);
    const state = await newState(entry, provisioning, committing);
    await provisioning.endSessionsOfOthers(SESSION_COLLECTION, await provisioning.ids("user"));
    await changeHeld(entry, { generation });
    await provisioning.openFence(generation);
    if (!(await provisioning.replaceState(before, state))) throw superseded();
  }
  await completeStep(input, "switch-over");
};
