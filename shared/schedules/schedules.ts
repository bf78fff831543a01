/** Runs what is scheduled, and keeps schedules and records together. */
import { resumeAutomation } from "#shared/automation/automation";
import { nowMillis } from "#shared/foundation/clock";
import { openWindow, queueScheduled } from "#shared/messaging/messaging";
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

/** Queues a message whose time has come. Raises `sandbox_refreshing`. */
const queueMessage = async ({ organization, id }: ScheduledDelivery): Promise<RunResult> => {
  const opened = await openWithState(organization);
  if (opened === null) return "dropped";
  if (isGated(opened.state.status)) throw sandboxRefreshing();
  return (await queueScheduled(opened.database, id)) ? "completed" : "dropped";
};

/** Sends what has waited for a digest or for the end of quiet hours. Raises `sandbox_refreshing`. */
const sendDigest = async ({ organization, id, revision }: ScheduledDelivery): Promise<RunResult> => {
  const opened = await openWithState(organization);
  if (opened === null) return "dropped";
  const { database, state } = opened;
  if (isGated(state.status)) throw sandboxRefreshing();
  // Those of a suspended organization are sent when it is active again, by the job reconcile-schedules.
  if (state.status !== "active") return "dropped";
  return (await openWindow(database, id, revision)) ? "completed" : "dropped";
};

/** Does what a schedule was made for. */
export const runScheduled = async (
  delivery: ScheduledDelivery & { readonly kind: "item" | "automation" | "message" | "digest" },
  facts: RunFacts,
): Promise<RunResult> => {
  switch (delivery.kind) {
    case "item":
      return runItem(delivery, facts);
    case "automation":
      return resume(delivery, facts);
    case "message":
      return queueMessage(delivery);
    case "digest":
      return sendDigest(delivery);
  }
};
