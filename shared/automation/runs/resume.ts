import type { Definition } from "#shared/data/schema/automations/automations";
import { Fault } from "#shared/foundation/faults";
import { type Execution, type ExecutionError, endExecution } from "#shared/functions/functions";
import { deferredTenant, markBackgroundWork, type TenantDatabase } from "#shared/tenant/tenant";
import type { NodeLines } from "../engine/lines.ts";
import type { RunState } from "../engine/state.ts";
import { type AutomationExecution, type AutomationOutcome, automationExecutions, type Waiting } from "./execution.ts";
import { activeAutomation } from "./load.ts";
import { carryOn } from "./start.ts";

/** A run gets so many milliseconds after its deadline to end. */
const AFTER_DEADLINE_MS = 5_000;

export interface Resumption {
  readonly execution_id: string;
  /** Of the delay that is over. */
  readonly revision: number;
  /** Milliseconds since the epoch. The run has stopped by then. */
  readonly deadline: number;
  readonly request_id: string;
}

/** Takes the run, if it waits for this revision. Only one of many deliveries gets it. */
const claim = async (
  database: TenantDatabase,
  { execution_id, revision, deadline, request_id }: Resumption,
): Promise<AutomationExecution | null> => {
  await markBackgroundWork(database.organization_id, "executions");
  return automationExecutions(database).findOneAndUpdate(
    { _id: execution_id, status: "waiting", "waiting.revision": revision },
    {
      $set: {
        status: "running",
        deadline: new Date(deadline),
        lease_until: new Date(deadline + AFTER_DEADLINE_MS),
        request_id,
        // What started it has ended. From here on it counts the calls of what it starts itself.
        root: execution_id,
      },
    },
    { returnDocument: "after" },
  );
};

const fail = async (
  database: TenantDatabase,
  execution: Execution,
  lines: NodeLines,
  error: ExecutionError,
): Promise<AutomationOutcome> => {
  const ending = { status: "failed" as const, output: null, error, lines: lines.all, lines_cut: false };
  await endExecution(database, execution, ending);
  return { execution_id: execution._id, status: "failed", output: null, error };
};

const cancelled: ExecutionError = {
  kind: "cancelled",
  type: "cancelled",
  message: "The automation was deactivated or deleted while it waited.",
};

const parsed = ({ state, lines, definition }: Waiting) => ({
  state: JSON.parse(state) as RunState,
  lines: JSON.parse(lines) as NodeLines,
  definition: JSON.parse(definition) as Definition,
});

/**
 * Goes on with a run whose delay is over, as the user in whose name it began and with their present rights. Null if the
 * run does not wait for this: another delivery was first, or it has ended. A run of an automation that is not active
 * any more is cancelled.
 */
export const resumeAutomation = async (
  database: TenantDatabase,
  resumption: Resumption,
): Promise<AutomationOutcome | null> => {
  const claimed = await claim(database, resumption);
  if (claimed?.waiting === undefined) return null;
  const execution: Execution = { ...claimed, status: "running" };
  const { state, lines, definition } = parsed(claimed.waiting);
  if (execution.related_to === null) return null;
  const { id, name } = execution.related_to;
  if ((await activeAutomation(database, id)) === null) return fail(database, execution, lines, cancelled);
  const { user, client_id, scope, responsible, started } = execution;
  const acting = { user_id: user.id, client_id, scope, responsible, began: started };
  try {
    const tenant = await deferredTenant(database.organization_id, acting, resumption.request_id);
    return await carryOn(tenant, execution, { id, name, definition }, { state, lines });
  } catch (error) {
    if (!(error instanceof Fault) || error.status >= 500) throw error;
    const { node } = state.position;
    return fail(database, execution, lines, { kind: "exception", type: error.code, message: error.message, node });
  }
};
