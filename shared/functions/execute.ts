import type { RunAnswer, RunEvent } from "#contracts/runner";
import { invokeRunner } from "#shared/foundation/aws/runner";
import { nowMillis } from "#shared/foundation/clock";
import { env } from "#shared/foundation/env";
import { Fault } from "#shared/foundation/faults";
import { log } from "#shared/foundation/log";
import type { Once, Tenant } from "#shared/tenant/tenant";
import { type Beginning, type Begun, beginExecution, leave, unstart } from "./executions/begin.ts";
import { endExecution } from "./executions/end.ts";
import type { Execution } from "./executions/execution.ts";
import { executionLimits } from "./executions/limits.ts";
import type { Ending } from "./executions/log-record.ts";
import type { ExecutionError, Origin, Outcome } from "./outcome.ts";

/** Code of the organization, and what it is given. */
export interface Job extends Beginning {
  readonly form: RunEvent["form"];
  readonly code: string;
  readonly memory_mb: number;
  readonly given: Pick<RunEvent, "kwargs" | "trigger">;
}

/** How a job has ended. */
export interface Executed extends Outcome {
  /** Of a trigger: all its records, as it leaves them. */
  readonly new_map?: Extract<RunAnswer, { status: "completed" }>["new_map"];
  /** As it was at its end. Null if it was ended by another, as an interrupted one. */
  readonly execution: Execution | null;
}

export const userOf = ({ caller, organization_id }: Tenant): RunEvent["user"] => ({
  id: caller.id,
  name: caller.name,
  email: caller.email,
  organization_id,
  is_admin: caller.is_admin,
  time_zone: caller.time_zone,
});

const invoke = (tenant: Tenant, job: Job, { execution, token }: Begun): Promise<RunAnswer> => {
  const timeout_ms = Math.max(execution.deadline.getTime() - nowMillis(), 1);
  const event: RunEvent = {
    kind: "run",
    form: job.form,
    name: job.name,
    code: job.code,
    ...job.given,
    user: userOf(tenant),
    timeout_ms,
    memory_mb: job.memory_mb,
    context: { url: `${env.issuer()}/v1/internal/context`, token },
  };
  // The answer to a time-out needs a moment too.
  return invokeRunner(tenant.organization_id, event, timeout_ms + executionLimits.nestedMargin * 2);
};

export const endingOf = (answer: RunAnswer): Ending => {
  const { lines, lines_cut } = answer;
  return answer.status === "completed"
    ? { status: "completed", output: answer.output, lines, lines_cut }
    : { status: "failed", output: null, error: answer.error, lines, lines_cut };
};

const interrupted: ExecutionError = {
  kind: "interrupted",
  type: "Interrupted",
  message: "The execution was ended because nobody was running it any more.",
};

/** Whether the runner had no room, so that nothing has run. */
const isThrottled = (error: unknown): boolean => error instanceof Fault && error.code === "too_many_functions";

/** The failure of an execution that the runner never began, or whose answer is unknown. */
const failedBy = (error: unknown): Ending => {
  const fault = error instanceof Fault ? error : new Fault("internal_error", { cause: error });
  const message = fault.code === "too_many_functions" ? fault.message : "The runner could not be reached.";
  return {
    status: "failed",
    output: null,
    error: { kind: "killed", type: fault.code, message },
    lines: [],
    lines_cut: false,
  };
};

/**
 * Runs code in the name of the caller, and records how it went. What goes wrong with the code is the outcome and not an
 * error. For a repeated request it gives the id of the earlier execution. Raises `execution_limit`,
 * `too_many_functions` and `dependency_unavailable`.
 */
export const execute = async (
  tenant: Tenant,
  job: Job,
  origin: Origin,
  once?: Once,
): Promise<Executed | { readonly earlier: string }> => {
  const begun = await beginExecution(tenant, job, origin, once);
  if ("earlier" in begun) return begun;
  const { execution } = begun;
  try {
    const answer = await invoke(tenant, job, begun).catch(async (error: unknown) => {
      if (execution.keyed && isThrottled(error)) await unstart(tenant, execution);
      else await endExecution(tenant, execution, failedBy(error));
      throw error;
    });
    const ending = endingOf(answer);
    const ended = await endExecution(tenant, execution, ending);
    const { status, output, error } =
      ended === null ? { status: "failed" as const, output: null, error: interrupted } : ending;
    return {
      execution_id: execution._id,
      status,
      output: output ?? null,
      ...(error && { error }),
      ...(answer.status === "completed" && answer.new_map && { new_map: answer.new_map }),
      execution: ended,
    };
  } finally {
    await leave(tenant, execution).catch((error: unknown) => {
      // The slot is free at the end of its time.
      log.warn({ organization: tenant.organization_id, err: error }, "a slot for executions was not given back");
    });
  }
};
