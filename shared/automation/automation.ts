/** Runs the automations of an organization: for requests, functions, records that change, and schedules. */
import { isObject } from "#shared/foundation/is-object";
import type { ContextPorts } from "#shared/functions/context/context";
import { answerOf, type Origin, type Outcome, type Replayer } from "#shared/functions/functions";
import type { Tenant } from "#shared/tenant/tenant";
import type { AutomationOutcome, WaitingRun } from "./runs/execution.ts";
import { readableAutomation } from "./runs/load.ts";
import { startAutomation } from "./runs/start.ts";

export { type PublicRequest, runPublicAutomation } from "./public/run-public.ts";
export type { AutomationOutcome } from "./runs/execution.ts";
export { overdueRuns } from "./runs/overdue.ts";
export { runQueuedAutomation } from "./runs/queued.ts";
export { resumeAutomation } from "./runs/resume.ts";
export { DELAY_KIND } from "./runs/wait.ts";

/**
 * Runs an active automation that the caller may read, in the name of the caller, to its end or its first delay. What
 * goes wrong in it is the outcome. For a request that came before with the same `Idempotency-Key` it gives what that
 * came to. Raises `automation_not_found`, `forbidden`, `execution_limit`, `too_many_functions` and
 * `idempotency_in_flight`.
 */
export const runAutomation = async (
  tenant: Tenant,
  id: string,
  inputs: Readonly<Record<string, unknown>>,
  origin: Origin,
): Promise<AutomationOutcome> => {
  const automation = await readableAutomation(tenant, id);
  const isOwnEffect = origin.place === "api" || origin.place === "replay";
  return startAutomation(tenant, automation, inputs, origin, isOwnEffect ? tenant.once : undefined);
};

/** What a caller is told of a run that waits. */
export const waitingAnswer = ({ execution_id, status, resume_at }: WaitingRun) => ({ execution_id, status, resume_at });

/** For `platform.workflows.run_workflow`: what the route answers. */
export const runWorkflow: ContextPorts["runWorkflow"] = async (tenant, id, data, origin) => {
  const outcome = await runAutomation(tenant, id, data, origin);
  return outcome.status === "waiting" ? waitingAnswer(outcome) : answerOf(outcome);
};

/** Runs an automation again with the inputs of an earlier run, by what it says now. */
export const replayAutomation: Replayer = async (tenant, { related_to }, inputs, origin) => {
  const outcome = await runAutomation(tenant, related_to.id, isObject(inputs) ? inputs : {}, origin);
  if (outcome.status !== "waiting") return outcome;
  return { execution_id: outcome.execution_id, status: "completed", output: waitingAnswer(outcome) };
};

/** What strangers are told: what went wrong is in the log of the organization. */
export const publicAnswer = (outcome: Outcome): unknown =>
  outcome.error === undefined
    ? outcome.output
    : { status: "error", message: "The automation failed.", error_type: "automation_failed" };
