import { v7 as uuidv7 } from "uuid";
import { indexPlanOf, resolveSchema } from "#shared/data/schema/schema";
import { Fault } from "#shared/foundation/faults";
import type { Provisioning } from "#shared/tenant/provisioning/provisioning";
import { keptCollections, type OrganizationState, type Replacement, SESSION_COLLECTION } from "#shared/tenant/tenant";
import { changeSandbox } from "../registry.ts";
import { completeStep, type HeldSandbox, holdRun, type RunInput } from "./hold.ts";
import { provisioningOf } from "./place.ts";

/** Milliseconds that transactions of requests may hold up the switch-over, while no other request is let in. */
const FENCE_MS = 10_000;

type Committing = NonNullable<HeldSandbox["sandbox"]["run"]["committing"]>;

/** From here on the switch-over is only completed, never undone. Raises `sandbox_run_superseded`. */
const commit = async ({ _id, sandbox: { run } }: HeldSandbox, copies: readonly Replacement[]): Promise<Committing> => {
  const committing = { generation: uuidv7(), collections: copies };
  const after = await changeSandbox(
    _id,
    { "sandbox.run.id": run.id },
    { $set: { "sandbox.run.committing": committing } },
  );
  if (after === null) throw new Fault("sandbox_run_superseded");
  return committing;
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

const dropOthers = async (input: RunInput, provisioning: Provisioning, committing: Committing): Promise<void> => {
  const kept = new Set(committing.collections.map(({ to }) => to));
  const others = (await provisioning.collections()).filter((name) => !kept.has(name) && !keptCollections.has(name));
  await holdRun(input, "switch-over");
  for (const name of others) await provisioning.drop(name);
};

/**
 * Puts the copies in the place of the old collections. Between the gate and the new state no request is answered, so none
 * sees both. Repeatable at every point.
 */
export const switchOverStep = async (
  input: RunInput & { readonly copies?: readonly Replacement[] | undefined },
): Promise<void> => {
  const entry = await holdRun(input, "switch-over");
  const { run } = entry.sandbox;
  const provisioning = await provisioningOf(entry);
  const isSwitched = run.committing !== undefined && entry.generation === run.committing.generation;
  if (isSwitched && (await provisioning.state())?.generation === entry.generation) {
    await completeStep(input, "switch-over");
    return;
  }
  await provisioning.setStatus("active", "refreshing");
  await provisioning.closeFence(FENCE_MS);
  const committing = run.committing ?? (await commit(entry, input.copies ?? []));
  for (const { from, to } of committing.collections) await provisioning.replace(from, to);
  await dropOthers(input, provisioning, committing);
  const state = await newState(entry, provisioning, committing);
  await provisioning.endSessionsOfOthers(SESSION_COLLECTION, await provisioning.ids("user"));
  await provisioning.openFence(committing.generation);
  await completeStep(input, "switch-over", { generation: committing.generation });
  await provisioning.putState(state);
};
