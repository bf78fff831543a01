/** Runs what is scheduled, and keeps schedules and records together. */
import { resumeAutomation } from "#shared/automation/automation";
import { nowMillis } from "#shared/foundation/clock";
import { isGated, openWithState, sandboxRefreshing } from "#shared/tenant/tenant";
import { longestRun, type RunFacts, type RunResult, runItem, type ScheduledDelivery } from "./run-item.ts";

export { endInterruptedItems } from "./items.ts";
export { reconcileSchedules } from "./reconcile.ts";

/**
 * Goes on with an automation whose delay is over. Exactly one of the deliveries does it. Raises `sandbox_refreshing`
 * and what another attempt may not meet.
 */
const resume = async (
  { organization, id, revision }: ScheduledDelivery,
  { request_id = "", remaining }: RunFacts,
): Promise<RunResult> => {
  const opened = await openWithState(organization);
  if (opened === null) return "dropped";
  const { database, state } = opened;
  if (isGated(state.status)) throw sandboxRefreshing();
  if (state.status !== "active") return "dropped";
  const deadline = nowMillis() + longestRun(remaining);
  const resumption = { execution_id: id, revision: Number(revision), deadline, request_id };
  const outcome = await resumeAutomation(database, resumption);
  if (outcome === null) return "dropped";
  return outcome.status === "failed" ? "failed" : "completed";
};

/** Does what a schedule was made for. */
export const runScheduled = (
  delivery: ScheduledDelivery & { readonly kind: "item" | "automation" },
  facts: RunFacts,
): Promise<RunResult> => (delivery.kind === "item" ? runItem(delivery, facts) : resume(delivery, facts));
