import { Fault } from "#shared/foundation/faults";
import type { Tenant } from "#shared/tenant/tenant";
import type { Outcome } from "../outcome.ts";
import { executionsOf } from "./execution.ts";

/** The outcome of the execution that an earlier request with the same key began. Raises `idempotency_in_flight`. */
export const earlierOutcome = async (tenant: Tenant, id: string): Promise<Outcome> => {
  const execution = await executionsOf(tenant).findOne({ _id: id });
  if (execution?.outcome !== undefined) return JSON.parse(execution.outcome);
  throw new Fault(execution === null ? "execution_not_found" : "idempotency_in_flight");
};
