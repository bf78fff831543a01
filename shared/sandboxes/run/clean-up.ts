import type * as z from "zod";
import type { cleanUpSandboxRun } from "#contracts/sandbox-workflow";
import { now, nowMillis } from "#shared/foundation/clock";
import { log } from "#shared/foundation/log";
import { isNextName } from "#shared/tenant/provisioning/provisioning";
import { changeSandbox, sandboxById } from "../registry.ts";
import type { HeldSandbox, RunInput } from "./hold.ts";
import { provisioningOf } from "./place.ts";

type CleanUpInput = z.output<typeof cleanUpSandboxRun.input>;
type Outcome = z.input<typeof cleanUpSandboxRun.output>["outcome"];

/** What somebody can do about a failure, by the error that Step Functions tells. */
const advice: Readonly<Record<string, string>> = {
  "States.Timeout": "It took too long. Try again, at a time when the organization is used less.",
  "Sandbox.Timedout": "It took too long. Try again, at a time when the organization is used less.",
  database_unavailable: "The database could not be reached. Try again.",
  sandbox_refreshing: "Requests in the sandbox did not end in time. Try again when it is used less.",
  abandoned: "It was interrupted. Try again.",
};

const GENERAL = "Something went wrong on our side. Try again; if it fails again, quote the sandbox's id to us.";

const reasonOf = (error: string | undefined): string => advice[error ?? ""] ?? GENERAL;

/** Drops the new copy. The gate is raised only when the run can no longer be undone. */
const undoRefresh = async (entry: HeldSandbox): Promise<void> => {
  const provisioning = await provisioningOf(entry);
  for (const name of (await provisioning.collections()).filter(isNextName)) await provisioning.drop(name);
};

const undoCreate = async (entry: HeldSandbox): Promise<void> => (await provisioningOf(entry)).dropDatabase();

/**
 * Undoes a run that has failed. A switch-over that has begun, and a deletion, cannot be undone: they are completed later.
 * Repeatable.
 */
export const cleanUpStep = async ({ sandbox_id, run_id, error }: RunInput & CleanUpInput): Promise<Outcome> => {
  const found = await sandboxById(sandbox_id);
  if (found?.sandbox.run?.id !== run_id) return "superseded";
  const entry = found as HeldSandbox;
  const { run, progress } = entry.sandbox;
  if (run.committing !== undefined) return "forward";
  const failure = { operation: run.operation, step: progress.step, reason: reasonOf(error?.Error), at: now() };
  log.error({ organization: sandbox_id, run: run_id, ...failure, error }, "a run on a sandbox has failed");
  const byRun = { "sandbox.run.id": run_id, "sandbox.run.committing": { $exists: false } };
  if (run.operation === "delete") {
    // The reconciler starts it again.
    const change = { "sandbox.failure": failure, "sandbox.run.lease_until": new Date(nowMillis()) };
    await changeSandbox(sandbox_id, byRun, { $set: change });
    return "undone";
  }
  if (run.operation === "create") await undoCreate(entry);
  else await undoRefresh(entry);
  const status = run.operation === "create" ? "failed" : "active";
  const after = await changeSandbox(sandbox_id, byRun, {
    $set: { "sandbox.status": status, "sandbox.failure": failure },
    $unset: { "sandbox.run": "" },
  });
  return after === null ? "superseded" : "undone";
};
