import type { Tenant } from "#shared/tenant/tenant";
import { changeSandbox, newRun, sandboxNamed } from "./registry.ts";
import { stepsOf } from "./run/steps.ts";
import { startRunOrLeave, waitForRun } from "./start.ts";
import { admit, statesFor } from "./states.ts";
import { actorOf, noteInTrail } from "./trail.ts";

export interface Deletion {
  /** Whether nothing is left of it. Otherwise it can no longer be used, and is removed later. */
  readonly complete: boolean;
}

/**
 * Deletes a sandbox. Whatever runs on it is given up. Raises `forbidden` in a sandbox, `sandbox_not_found` and
 * `dependency_unavailable`.
 */
export const deleteSandbox = async (tenant: Tenant, name: string): Promise<Deletion> => {
  const { entry } = await sandboxNamed(tenant, name);
  const { instance, status, run: running } = entry.sandbox;
  if (!admit("delete", status)) return { complete: (await waitForRun(entry._id, running?.id ?? "")) === null };
  const run = newRun("delete", actorOf(tenant));
  const filter = { "sandbox.status": { $in: statesFor("delete") }, "sandbox.instance": instance };
  const after = await changeSandbox(entry._id, filter, {
    $set: {
      status: "deleting",
      "sandbox.status": "deleting",
      "sandbox.run": run,
      "sandbox.progress": { step: "close", done: 0, total: stepsOf.delete },
    },
    $unset: { "sandbox.failure": "" },
  });
  if (after === null) return deleteSandbox(tenant, name);
  await noteInTrail(tenant, "sandbox_deleted", name);
  await startRunOrLeave(entry._id, run);
  return { complete: (await waitForRun(entry._id, run.id)) === null };
};
