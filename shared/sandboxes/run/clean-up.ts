import type * as z from "zod";
import type { cleanUpSandboxRun } from "#contracts/sandbox-workflow";
import { now, nowMillis } from "#shared/foundation/clock";
import { log } from "#shared/foundation/log";
import { isNextName } from "#shared/tenant/provisioning/provisioning";
import { linkToParent, releaseLists, setListsOf } from "../lists.ts";
import type { HeldSandbox } from "../registry.ts";
import { changeSandbox, sandboxById } from "../registry.ts";
import type { RunInput } from "./hold.ts";
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

/** Longer than the function may run. */
const LEASE_MS = 3 * 60_000;

/** From here on the tasks of the run do nothing more. Null if it can only be completed, or another took its place. */
const beginUndoing = async (id: string, runId: string): Promise<HeldSandbox | null> => {
  const lease_until = new Date(nowMillis() + LEASE_MS);
  const after = await changeSandbox(
    id,
    { "sandbox.run.id": runId, "sandbox.run.committing": { $exists: false } },
    { $set: { "sandbox.run.undoing": true, "sandbox.run.lease_until": lease_until } },
  );
  return after as HeldSandbox | null;
};

/**
 * Drops the new copy, and sets lists and count of the users, which a request may have changed in part when the refresh began. The gate is
 * raised only when the run can no longer be undone.
 */
const undoRefresh = async (entry: HeldSandbox): Promise<void> => {
  const provisioning = await provisioningOf(entry);
  for (const name of (await provisioning.collections()).filter(isNextName)) await provisioning.drop(name);
  await linkToParent(entry);
  const users = await provisioning.ids("user");
  const byRun = { "sandbox.run.id": entry.sandbox.run.id };
  await setListsOf(entry, users, byRun);
  await changeSandbox(entry._id, byRun, { $set: { "sandbox.users": users.length } });
  await releaseLists(entry);
};

const undoCreate = async (entry: HeldSandbox): Promise<void> => (await provisioningOf(entry)).dropDatabase();

/**
 * Undoes a run that has failed. A switch-over that has begun, and a deletion, cannot be undone: they are completed later.
 * Repeatable.
 */
export const cleanUpStep = async ({ sandbox_id, run_id, error }: RunInput & CleanUpInput): Promise<Outcome> => {
  const found = await sandboxById(sandbox_id);
  if (found?.sandbox.run?.id !== run_id) return "superseded";
  const { run, progress } = (found as HeldSandbox).sandbox;
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
  const entry = await beginUndoing(sandbox_id, run_id);
  if (entry === null) return cleanUpStep({ sandbox_id, run_id, error });
  if (run.operation === "create") await undoCreate(entry);
  else await undoRefresh(entry);
  const status = run.operation === "create" ? "failed" : "active";
  const after = await changeSandbox(sandbox_id, byRun, {
    $set: { "sandbox.status": status, "sandbox.failure": failure },
    $unset: { "sandbox.run": "" },
  });
  return after === null ? "superseded" : "undone";
};
