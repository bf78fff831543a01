import { Fault } from "#shared/foundation/faults";
import type { Tenant } from "#shared/tenant/tenant";
import { type AutomationOutcome, automationExecutions } from "./execution.ts";

/** What the run that an earlier request with the same key began has come to. Raises `idempotency_in_flight`. */
export const earlierOutcome = async (tenant: Pick<Tenant, "collection">, id: string): Promise<AutomationOutcome> => {
  const execution = await automationExecutions(tenant).findOne({ _id: id });
  if (execution?.outcome !== undefined) return JSON.parse(execution.outcome);
  if (execution?.status === "waiting") {
    const resume_at = execution.waiting?.resume_at.toISOString() ?? "";
    return { execution_id: id, status: "waiting", output: null, resume_at };
  }
  throw new Fault(execution === null ? "execution_not_found" : "idempotency_in_flight");
};
