import type { Tenant } from "#shared/tenant/tenant";
import { displayNameOf } from "./names.ts";
import { unlessDeleted } from "./outcome.ts";
import { changeSandbox, newRun, type RegisteredSandbox, sandboxNamed } from "./registry.ts";
import { stepsOf } from "./run/steps.ts";
import { startRunOrLeave, waitForRun } from "./start.ts";
import { admit, statesFor } from "./states.ts";
import { actorOf, noteInTrail } from "./trail.ts";

/** Begins a refresh, or finds the one that is running. The id of the run. */
const begin = async (tenant: Tenant, name: string): Promise<string> => {
  const { parent, entry } = await sandboxNamed(tenant, name);
  const running = entry.sandbox.run?.id;
  if (!admit("refresh", entry.sandbox.status) && running !== undefined) return running;
  const run = newRun("refresh", actorOf(tenant));
  const filter = { "sandbox.status": { $in: statesFor("refresh") }, "sandbox.instance": entry.sandbox.instance };
  const after = await changeSandbox(entry._id, filter, {
    $set: {
      name: displayNameOf(parent.name, name),
      "sandbox.status": "refreshing",
      "sandbox.run": run,
      "sandbox.progress": { step: "register", done: 0, total: stepsOf.refresh },
    },
    $unset: { "sandbox.failure": "" },
  });
  // Another request was faster: its refresh is this one's too.
  if (after === null) return begin(tenant, name);
  await noteInTrail(tenant, "sandbox_refreshed", name);
  await startRunOrLeave(entry._id, run);
  return run.id;
};

/**
 * Resets a sandbox to its parent's configuration, and waits until that is done, or for so long as a request may. A refresh
 * that is running is not begun again. Raises `forbidden` in a sandbox, `sandbox_not_found`, `sandbox_busy` and
 * `dependency_unavailable`.
 */
export const refreshSandbox = async (tenant: Tenant, name: string): Promise<RegisteredSandbox> => {
  let runId: string | undefined;
  await tenant.once.send(async () => {
    runId = await begin(tenant, name);
  });
  const { entry } = await sandboxNamed(tenant, name);
  return unlessDeleted(await waitForRun(entry._id, runId ?? entry.sandbox.run?.id ?? ""));
};
