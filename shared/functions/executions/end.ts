import { now } from "#shared/foundation/clock";
import type { TenantDatabase } from "#shared/tenant/tenant";
import type { Outcome } from "../outcome.ts";
import { type Execution, executionsOf } from "./execution.ts";
import { executionLimits } from "./limits.ts";
import { type Ending, LOG_OBJECT, logRecord } from "./log-record.ts";

const outcomeOf = ({ _id }: Execution, { status, output, error }: Ending): Outcome => ({
  execution_id: _id,
  status,
  output: output ?? null,
  ...(error && { error }),
});

/**
 * Writes the log record and ends the execution, in one transaction. Nothing is written if it was ended before, as an
 * interrupted one. Gives the execution as it was at its end, or null.
 */
export const endExecution = async (
  tenant: Pick<TenantDatabase, "collection" | "transaction">,
  execution: Execution,
  ending: Ending,
): Promise<Execution | null> => {
  const at = now();
  const record = logRecord(execution, ending, at);
  const running = { _id: execution._id, status: "running" } as const;
  const kept = {
    status: ending.status,
    outcome: JSON.stringify(outcomeOf(execution, ending)),
    expires_at: new Date(at.getTime() + executionLimits.keptMilliseconds),
  };
  return tenant.transaction(async (session) => {
    const executions = executionsOf(tenant);
    const ended = execution.keyed
      ? await executions.findOneAndUpdate(running, { $set: kept, $unset: { token_hash: "" } }, { session })
      : await executions.findOneAndDelete(running, { session });
    if (ended === null) return null;
    await tenant.collection(LOG_OBJECT).insertOne(record as never, { session });
    return ended;
  });
};
