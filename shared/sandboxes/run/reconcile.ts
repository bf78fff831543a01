import { v7 as uuidv7 } from "uuid";
import { now, nowMillis } from "#shared/foundation/clock";
import { log } from "#shared/foundation/log";
import { base } from "#shared/tenant/tenant";
import type { HeldSandbox } from "../registry.ts";
import { changeSandbox, isSandbox, type RegisteredSandbox } from "../registry.ts";
import { startRun } from "../start.ts";
import { cleanUpStep } from "./clean-up.ts";
import type {} from "./hold.ts";

/** Runs that one invocation takes up. */
const AT_MOST = 50;
const LEASE_MS = 2 * 60_000;

export interface Reconciliation {
  /** Runs that were started again, because they can only be completed. */
  readonly restarted: number;
  readonly undone: number;
  readonly failed: number;
}

const abandoned = async (): Promise<RegisteredSandbox[]> => {
  const { organizations } = await base();
  const entries = await organizations
    .find({ "sandbox.run.lease_until": { $lt: now() } })
    .limit(AT_MOST)
    .toArray();
  return entries.filter(isSandbox);
};

/** Takes the run over under a new id, so that the execution that had it does nothing more. Null if another was faster. */
const takeOver = (entry: HeldSandbox): Promise<RegisteredSandbox | null> => {
  const { id, lease_until } = entry.sandbox.run;
  return changeSandbox(
    entry._id,
    { "sandbox.run.id": id, "sandbox.run.lease_until": lease_until },
    { $set: { "sandbox.run.id": uuidv7(), "sandbox.run.lease_until": new Date(nowMillis() + LEASE_MS) } },
  );
};

type Result = keyof Reconciliation | undefined;

const reconcileOne = async (entry: RegisteredSandbox): Promise<Result> => {
  const { _id: sandbox_id } = entry;
  try {
    const taken = await takeOver(entry as HeldSandbox);
    const run = taken?.sandbox.run;
    if (run === undefined) return undefined;
    log.warn({ organization: sandbox_id, run: run.id, operation: run.operation }, "a run on a sandbox was abandoned");
    if (run.operation === "delete" || run.committing !== undefined) {
      await startRun(sandbox_id, run);
      return "restarted";
    }
    await cleanUpStep({ sandbox_id, run_id: run.id, error: { Error: "abandoned" } });
    return "undone";
  } catch (error) {
    log.error({ organization: sandbox_id, err: error }, "a run on a sandbox could not be taken up");
    return "failed";
  }
};

/**
 * Takes up the runs on which nobody works any more, because an execution was stopped, has run out of time or was never
 * started: completes what can only be completed, and undoes the rest. Repeatable.
 */
export const reconcileRuns = async (): Promise<Reconciliation> => {
  const counts = { restarted: 0, undone: 0, failed: 0 };
  for (const entry of await abandoned()) {
    const result = await reconcileOne(entry);
    if (result !== undefined) counts[result] += 1;
  }
  return counts;
};
