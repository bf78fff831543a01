import { programOf } from "#shared/data/schema/automations/automations";
import { nowMillis } from "#shared/foundation/clock";
import { Fault } from "#shared/foundation/faults";
import {
  beginExecution,
  type Execution,
  type ExecutionError,
  endExecution,
  leave,
  type Origin,
  parentOf,
} from "#shared/functions/functions";
import { actingTenant, type Once, openOrganization, type Tenant } from "#shared/tenant/tenant";
import { type NodeLines, noLines } from "../engine/lines.ts";
import { RunError } from "../engine/node-error.ts";
import { runFrom, type Stop } from "../engine/run.ts";
import { firstState, type RunState } from "../engine/state.ts";
import { earlierOutcome } from "./earlier.ts";
import { type AutomationOutcome, automationExecutions } from "./execution.ts";
import type { Automation } from "./load.ts";
import { wait } from "./wait.ts";

/** The rights of this moment. A superuser is not looked up again: they may be no user of the organization. */
const openerOf = (tenant: Tenant, { user, client_id, scope, responsible, started }: Execution) => {
  const { caller, state, request_id, organization_id } = tenant;
  const acting = { user_id: user.id, client_id, scope, responsible, began: started };
  return async (): Promise<Tenant> => {
    try {
      if (!caller.is_superuser) return await actingTenant(organization_id, acting, request_id);
      // Without the effect of a repeated request, which a tenant of a request has.
      const database = await openOrganization(organization_id);
      if (database === null) throw new Fault("forbidden");
      return { ...database, caller, state, request_id };
    } catch (error) {
      if (error instanceof Fault) throw new RunError(error.code, error.message);
      throw error;
    }
  };
};

const noterOf =
  (tenant: Tenant, { _id }: Execution) =>
  async (node: string, lines: NodeLines) => {
    const progress = { node, lines: lines.all };
    const running = { _id, status: "running" } as const;
    const { matchedCount } = await automationExecutions(tenant).updateOne(running, { $set: { progress } });
    if (matchedCount === 0) throw new RunError("interrupted", "The run was ended by another one.");
  };

const kinds: Readonly<Record<string, ExecutionError["kind"]>> = {
  limit: "limit",
  timeout: "timeout",
  interrupted: "interrupted",
};

const errorOf = ({ type, message, node }: Extract<Stop, { kind: "failed" }>): ExecutionError => ({
  kind: kinds[type] ?? "exception",
  type,
  message: `"${node}": ${message}`,
  node,
});

type Ended = Exclude<Stop, { kind: "waiting" }>;

const end = async (tenant: Tenant, execution: Execution, stop: Ended): Promise<AutomationOutcome> => {
  const trace = { lines: stop.lines.all, lines_cut: false };
  const ending =
    stop.kind === "returned"
      ? { status: "completed" as const, output: stop.value, ...trace }
      : { status: "failed" as const, output: null, error: errorOf(stop), ...trace };
  await endExecution(tenant, execution, ending);
  const { status, output } = ending;
  return { execution_id: execution._id, status, output, ...("error" in ending && { error: ending.error }) };
};

const concluded = async (
  tenant: Tenant,
  execution: Execution,
  automation: Automation,
  stop: Stop,
): Promise<AutomationOutcome> => {
  if (stop.kind !== "waiting") return end(tenant, execution, stop);
  try {
    const resume_at = await wait(tenant, execution, automation, stop);
    return { execution_id: execution._id, status: "waiting", output: null, resume_at };
  } catch (error) {
    if (!(error instanceof RunError)) throw error;
    const { type, message } = error;
    return end(tenant, execution, { kind: "failed", type, message, node: stop.node, lines: stop.lines });
  }
};

/** Runs an execution that has begun, from a state on, to its end or its next delay. */
export const carryOn = async (
  tenant: Tenant,
  execution: Execution,
  automation: Automation,
  from: { readonly state?: RunState; readonly lines?: NodeLines; readonly inputs?: unknown },
): Promise<AutomationOutcome> => {
  try {
    const program = programOf(automation.definition);
    const setting = {
      program,
      execution: parentOf(execution),
      deadline: execution.deadline.getTime(),
      tenant,
      open: openerOf(tenant, execution),
      note: noterOf(tenant, execution),
    };
    const stop = await runFrom(setting, from.state ?? firstState(from.inputs, program.start), from.lines ?? noLines);
    return await concluded(tenant, execution, automation, stop);
  } finally {
    await leave(tenant, execution);
  }
};

/**
 * Runs an automation in the name of the caller. What goes wrong in it is the outcome. For a request that came before
 * with the same `Idempotency-Key` (`once`) it gives what that came to. Raises `execution_limit`, `too_many_functions`
 * and
 * `idempotency_in_flight`.
 */
export const startAutomation = async (
  tenant: Tenant,
  automation: Automation,
  inputs: Readonly<Record<string, unknown>>,
  origin: Origin,
  once?: Once,
): Promise<AutomationOutcome> => {
  const { id, name } = automation;
  const beginning = {
    kind: "automation" as const,
    name,
    related_to: { id, schema: "automation" as const, name },
    inputs,
    milliseconds: Math.max(origin.deadline - nowMillis(), 0),
  };
  const begun = await beginExecution(tenant, beginning, origin, once);
  if ("earlier" in begun) return earlierOutcome(tenant, begun.earlier);
  return carryOn(tenant, begun.execution, automation, { inputs });
};
