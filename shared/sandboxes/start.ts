import { setTimeout } from "node:timers/promises";
import { startExecution } from "#shared/foundation/aws/workflows";
import { elapsedMillis, nowMillis } from "#shared/foundation/clock";
import { Fault } from "#shared/foundation/faults";
import type { SandboxRun } from "#shared/tenant/tenant";
import { changeSandbox, type RegisteredSandbox, sandboxById } from "./registry.ts";

/** Of the state machine `tenantry-<stage>-sandbox`. */
const SANDBOX_WORKFLOW = "sandbox";

/** How long a request waits for its run. Shorter than the time limits of the function and of API Gateway. */
const PATIENCE_MS = 15_000;
const PAUSES_MS = { first: 50, longest: 500 } as const;

/** Starts the execution of a run. It is started once, however often this is called. */
export const startRun = async (sandboxId: string, { id }: Pick<SandboxRun, "id">): Promise<void> => {
  await startExecution(SANDBOX_WORKFLOW, id, { sandbox_id: sandboxId, run_id: id });
};

/** As `startRun`; if the execution cannot be started, the reconciler takes the run up at once. Raises `dependency_unavailable`. */
export const startRunOrLeave = async (sandboxId: string, run: SandboxRun): Promise<void> => {
  try {
    await startRun(sandboxId, run);
  } catch (cause) {
    const ended = { $set: { "sandbox.run.lease_until": new Date(nowMillis()) } };
    await changeSandbox(sandboxId, { "sandbox.run.id": run.id }, ended);
    throw new Fault("dependency_unavailable", { cause, headers: { "retry-after": "60" } });
  }
};

/** The sandbox when the run has ended, or as it is when patience has. Null if it is gone. */
export const waitForRun = async (sandboxId: string, runId: string): Promise<RegisteredSandbox | null> => {
  const end = elapsedMillis() + PATIENCE_MS;
  for (let pause: number = PAUSES_MS.first; ; pause = Math.min(pause * 1.5, PAUSES_MS.longest)) {
    const entry = await sandboxById(sandboxId);
    if (entry?.sandbox.run?.id !== runId || elapsedMillis() + pause > end) return entry;
    await setTimeout(pause);
  }
};
