import { randomInt } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { runAutomation } from "#shared/automation/automation";
import {
  changeSchedules,
  isWaiting,
  itemRemoval,
  itemSchedule,
  schedulesRun,
} from "#shared/data/records/scheduling/scheduling";
import { atExpression, removeSchedule, scheduleName } from "#shared/foundation/aws/scheduler";
import { nowMillis } from "#shared/foundation/clock";
import { Fault } from "#shared/foundation/faults";
import { log } from "#shared/foundation/log";
import { type Origin, runFunction } from "#shared/functions/functions";
import {
  deferredTenant,
  isGated,
  openWithState,
  requirePayment,
  sandboxRefreshing,
  type Tenant,
  type TenantDatabase,
} from "#shared/tenant/tenant";
import {
  type ClaimedItem,
  claimRun,
  type Ending,
  endInterrupted,
  endRun,
  type ItemRun,
  isRecurring,
  itemsOf,
  releaseRun,
} from "./items.ts";

/** A delivery of Scheduler. */
export interface ScheduledDelivery {
  readonly organization: string;
  readonly id: string;
  readonly revision: string;
  /** ISO 8601. */
  readonly scheduled_time: string;
}

export type RunResult = "completed" | "failed" | "dropped" | "postponed";

/** Facts of the invocation. */
export interface RunFacts {
  readonly request_id: string | undefined;
  /** Milliseconds until the invocation is ended. */
  readonly remaining: () => number;
}

/** Milliseconds to end a run after its code. */
const RESERVE_MS = 10_000;
const LONGEST_RUN_MS = 60_000;

/** Milliseconds that code may run. */
export const longestRun = (remaining: RunFacts["remaining"]): number =>
  Math.min(LONGEST_RUN_MS, Math.max(remaining() - RESERVE_MS, 1_000));

/** An organization that runs too much at once is asked again after so many milliseconds, on average. */
const PATIENCE_MS = [300, 700, 1_500];
/** Then the run is scheduled again, between these milliseconds later. */
const POSTPONED_MS = { least: 3_000, most: 30_000 };

const between = (least: number, most: number): number => randomInt(least, most);

const isTooMuch = (error: unknown): boolean => error instanceof Fault && error.code === "too_many_functions";

/** Repeats while the organization runs too much at once. Raises `too_many_functions` at last. */
const patiently = async <T>(work: () => Promise<T>): Promise<T> => {
  for (const wait of PATIENCE_MS) {
    try {
      return await work();
    } catch (error) {
      if (!isTooMuch(error)) throw error;
      await setTimeout(between(wait / 2, wait * 1.5));
    }
  }
  return work();
};

const endingOf = ({ status, error, execution_id }: Awaited<ReturnType<typeof runAutomation>>): Ending =>
  status === "failed"
    ? { status: "Failed", reason: error?.message ?? "failed", execution_id }
    : { status: "Completed", execution_id };

const actorOf = ({ _actor, modified_by }: ClaimedItem["item"]) =>
  _actor ?? { user_id: modified_by?.id ?? "", client_id: null, scope: "all", responsible: null };

/** Runs what an item names. Raises `too_many_functions` if it was not begun. */
const runIn = async (tenant: Tenant, { item }: ClaimedItem, { remaining }: RunFacts): Promise<Ending> => {
  const data = item.data ?? {};
  try {
    return await patiently(async () => {
      const origin: Origin = { place: "schedule", deadline: nowMillis() + longestRun(remaining) };
      if (item.automation !== undefined) return endingOf(await runAutomation(tenant, item.automation.id, data, origin));
      return endingOf(await runFunction(tenant, { id: item.function?.id ?? "" }, data, origin));
    });
  } catch (error) {
    if (isTooMuch(error)) throw error;
    const isKnown = error instanceof Fault && error.status < 500;
    if (!isKnown)
      log.error({ organization: tenant.organization_id, item: item._id, err: error }, "a scheduled run failed");
    const reason = isKnown ? error.message : "The platform failed.";
    return { status: "Failed", reason, ...(isKnown && { isFinal: true }) };
  }
};

const noTenant: ReadonlySet<string> = new Set(["forbidden", "payment_required"]);

/** The tenant of whoever changed the item last, or why there is none. Raises what may pass. */
const tenantOf = async (
  { organization_id }: TenantDatabase,
  { item }: ClaimedItem,
  { request_id = "" }: RunFacts,
): Promise<Tenant | Ending> => {
  try {
    const tenant = await deferredTenant(organization_id, actorOf(item), request_id);
    requirePayment(tenant);
    return tenant;
  } catch (error) {
    if (!(error instanceof Fault) || !noTenant.has(error.code)) throw error;
    // A recurring item goes on as soon as the organization has paid.
    return { status: "Failed", reason: error.message, ...(error.code === "forbidden" && { isFinal: true }) };
  }
};

/** Gives a run back and lets another schedule of the same revision try again. */
const postpone = (database: TenantDatabase, claimed: ClaimedItem): Promise<void> =>
  database.transaction(async (session) => {
    if (!(await releaseRun(database, claimed, session))) return;
    const expression = atExpression(new Date(nowMillis() + between(POSTPONED_MS.least, POSTPONED_MS.most)));
    const schedule = itemSchedule(database.organization_id, claimed.item);
    await changeSchedules(database, [{ ...schedule, expression }], session);
  });

/** Runs a claimed item, or gives its run back if nothing has begun. */
const runOnce = async (
  database: TenantDatabase,
  claimed: ClaimedItem,
  facts: RunFacts,
): Promise<Ending | "postponed"> => {
  try {
    const acting = await tenantOf(database, claimed, facts);
    return "caller" in acting ? await runIn(acting, claimed, facts) : acting;
  } catch (error) {
    if (isTooMuch(error) && !isRecurring(claimed.item)) {
      await postpone(database, claimed);
      return "postponed";
    }
    // Lambda delivers the run again. Its schedule has only later ones.
    await releaseRun(database, claimed);
    throw error;
  }
};

/** Removes the schedule of an item that does not need it, unless the item was changed meanwhile. */
const removeUnneeded = (database: TenantDatabase, id: string): Promise<void> =>
  database.transaction(async (session) => {
    const item = await itemsOf(database).findOne({ _id: id }, { session });
    if (item !== null && isWaiting(item)) return;
    await changeSchedules(database, [itemRemoval(database.organization_id, item ?? { _id: id })], session);
  });

/** The database of a delivery, if its items run now. Raises `sandbox_refreshing`. */
const openFor = async (organization: string): Promise<TenantDatabase | "none" | "paused"> => {
  const opened = await openWithState(organization);
  if (opened === null || opened.state.status === "deleting") return "none";
  const { database, state } = opened;
  if (isGated(state.status)) throw sandboxRefreshing();
  return state.status === "active" && schedulesRun({ ...database, state }) ? database : "paused";
};

/**
 * Runs a scheduled item. Exactly one of the deliveries of a run does it; a run that was begun is never begun again.
 * Raises what another attempt may not meet.
 */
export const runItem = async (delivery: ScheduledDelivery, facts: RunFacts): Promise<RunResult> => {
  const { organization, id } = delivery;
  const database = await openFor(organization);
  if (database === "none") {
    await removeSchedule(scheduleName(organization, "item", id));
    return "dropped";
  }
  if (database === "paused") return "dropped";
  const run: ItemRun = {
    id,
    revision: Number(delivery.revision),
    scheduled_time: new Date(delivery.scheduled_time),
  };
  const claimed = await claimRun(database, run);
  if (claimed === null) {
    // Lambda delivers again if the function that has claimed the run was ended.
    await endInterrupted(database, id);
    await removeUnneeded(database, id);
    return "dropped";
  }
  const ending = await runOnce(database, claimed, facts);
  if (ending === "postponed") return ending;
  await endRun(database, claimed, ending);
  return ending.status === "Completed" ? "completed" : "failed";
};
