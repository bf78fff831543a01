import { now } from "#shared/foundation/clock";
import { Fault } from "#shared/foundation/faults";
import { log } from "#shared/foundation/log";
import { ensureOwnIndexes, openPlacedOrganization } from "#shared/tenant/tenant";
import { ensureTrailIndexes } from "#shared/trail/trail";
import { releaseLists, setListsOf } from "../lists.ts";
import { changeSandbox, sandboxById } from "../registry.ts";
import { byRun, completeStep, holdRun, type RunInput } from "./hold.ts";
import { provisioningOf } from "./place.ts";
import { DONE } from "./steps.ts";

/** Makes the lists say who is a user of the sandbox now. */
export const enterListsStep = async (input: RunInput): Promise<void> => {
  const entry = await holdRun(input, "enter-lists");
  const users = await (await provisioningOf(entry)).ids("user");
  await setListsOf(entry, users, byRun(input));
  await completeStep(input, "enter-lists", { "sandbox.users": users.length });
};

/** Ends the run. The sandbox can be used. */
export const finishStep = async (input: RunInput): Promise<void> => {
  const entry = await sandboxById(input.sandbox_id);
  // An earlier attempt has finished the run, and its answer was lost.
  if (entry?.sandbox.status === "active" && entry.sandbox.last_run === input.run_id) return;
  const held = await holdRun(input, "finish");
  const { _id, generation, sandbox } = held;
  const database = await openPlacedOrganization(held);
  await Promise.all([ensureOwnIndexes(database), ensureTrailIndexes(database)]);
  await releaseLists(held);
  const { migrated, operation, started } = sandbox.run;
  const after = await changeSandbox(_id, byRun(input), {
    $set: {
      status: "active",
      "sandbox.status": "active",
      "sandbox.refreshed_date": now(),
      "sandbox.last_run": input.run_id,
      "sandbox.progress.step": DONE,
      "sandbox.progress.done": sandbox.progress.total,
      ...(migrated !== undefined && { migrated }),
    },
    $unset: { "sandbox.run": "", "sandbox.failure": "", ...(migrated === undefined && { migrated: "" }) },
  });
  if (after === null) throw new Fault("sandbox_run_superseded");
  log.info(
    { organization: _id, run: input.run_id, operation, generation, ms: now().getTime() - started.getTime() },
    "sandbox run",
  );
};
