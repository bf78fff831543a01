import type { ClientSession, Document } from "mongodb";
import { atExpression, removeSchedule, SCHEDULED_TIME, scheduleName } from "#shared/foundation/aws/scheduler";
import { nowMillis } from "#shared/foundation/clock";
import type { Issue } from "#shared/foundation/faults";
import { log } from "#shared/foundation/log";
import { readScheduleExpression } from "#shared/foundation/schedule-expression";
import { actorOf, addToOutbox, type ScheduleChange, type Tenant, type TenantDatabase } from "#shared/tenant/tenant";
import type { Changes } from "../check-record.ts";
import type { RecordChange } from "../recorded-changes.ts";
import type { StoredRecord } from "../stored-record.ts";
import type { Target } from "../target.ts";

/** The object of scheduled items. */
export const SCHEDULED_ITEM = "scheduled_item";

/** The kind of their schedules. */
const KIND = "item";

/** Whoever changed an item last: it runs in their name. Stored with the item, and shown to nobody. */
const ACTOR_FIELD = "_actor";

/** The fields of an item that its schedule and its runs depend on. */
export interface ScheduledItem {
  readonly _id: string;
  readonly run_date_time: Date;
  readonly schedule_expression?: string;
  readonly time_zone?: string;
  readonly enabled_until?: Date;
  readonly status?: "Queued" | "Running" | "Completed" | "Failed" | "Cancelled";
  readonly status_history?: unknown[];
  readonly revision?: number;
  readonly last_run?: Date;
}

/** Entries of the history of an item. */
export const MOST_HISTORY = 100;

/** The history of a status with one more entry. */
export const withStatus = (
  history: unknown,
  entry: { readonly status: string; readonly at: Date; readonly reason?: string; readonly execution_id?: string },
): unknown[] => [...(Array.isArray(history) ? history : []), entry].slice(-MOST_HISTORY);

const isItem = ({ object }: Pick<Target, "object">): boolean => object === SCHEDULED_ITEM;

/** What the platform writes with each write of an item by a caller. Nothing for other objects. */
export const itemStamp = (target: Target, before: StoredRecord | null, changes: Changes, at: Date): Changes => {
  if (!isItem(target)) return {};
  const { status = before?.status } = changes;
  const isChanged = status !== before?.status;
  return {
    revision: (typeof before?.revision === "number" ? before.revision : 0) + 1,
    [ACTOR_FIELD]: actorOf(target.tenant),
    ...(isChanged && { status_history: withStatus(before?.status_history, { status: String(status), at }) }),
  };
};

/** What an item that is running cannot have changed. A recurring one can be cancelled, and have its next runs moved. */
const fixedWhileRunning = ["run_date_time", "schedule_expression", "function", "automation", "data"];

/** The issue of a status that a caller cannot set. */
export const statusIssue = (status: unknown): (Omit<Issue, "loc"> & { readonly field: "status" }) | undefined => {
  if (status === "Queued" || status === "Cancelled") return undefined;
  return { field: "status", msg: "Expected Queued or Cancelled. The platform sets the others.", type: "status" };
};

const issueOf = (before: StoredRecord | null, { status, ...changes }: Changes): Omit<Issue, "loc"> | undefined => {
  const isAsBefore = status === undefined || (before !== null && status === before.status);
  const { field: _, ...refused } = (isAsBefore ? undefined : statusIssue(status)) ?? {};
  if ("msg" in refused) return refused;
  if (before?.status !== "Running") return undefined;
  if (typeof before.schedule_expression === "string") {
    if (isAsBefore || status === "Cancelled") return undefined;
    return { msg: "The item is running. It is queued again by itself.", type: "running" };
  }
  if (isAsBefore && !fixedWhileRunning.some((name) => Object.hasOwn(changes, name))) return undefined;
  return { msg: "The item is running. Change it when it has ended.", type: "running" };
};

/** Issues of the status that a caller sets. In the transaction, because a run may begin at any time before it. */
export const itemIssues = (
  target: Target,
  writes: readonly { readonly before: StoredRecord | null; readonly changes: Changes; readonly loc: Issue["loc"] }[],
): Issue[] => {
  if (!isItem(target)) return [];
  return writes.flatMap(({ before, changes, loc }) => {
    const issue = issueOf(before, changes);
    return issue === undefined ? [] : [{ loc: [...loc, "status"], ...issue }];
  });
};

/** Whether scheduled items run: in sandboxes they are paused unless its settings say otherwise. */
export const schedulesRun = ({ is_sandbox, state }: Pick<Tenant, "is_sandbox" | "state">): boolean =>
  !is_sandbox || state.enable_schedules === true;

/** Whether an item needs a schedule. */
export const isWaiting = ({ status, schedule_expression, enabled_until }: ScheduledItem): boolean => {
  if (schedule_expression === undefined) return status === "Queued";
  const isOver = enabled_until !== undefined && enabled_until.getTime() <= nowMillis();
  return (status === "Queued" || status === "Running") && !isOver;
};

/**
 * From when on a recurring item runs: the first time that lies ahead. Runs of a rate are counted from the first one.
 */
const startOf = ({ run_date_time, schedule_expression = "" }: ScheduledItem): number => {
  const first = run_date_time.getTime();
  const read = readScheduleExpression(schedule_expression);
  const behind = nowMillis() - first;
  if (read?.kind !== "rate" || behind < 0) return first;
  return first + (Math.floor(behind / read.interval) + 1) * read.interval;
};

/** The schedule of an item. */
export const itemSchedule = (
  organizationId: string,
  item: ScheduledItem,
): Extract<ScheduleChange, { action: "put" }> => {
  const { _id: id, schedule_expression, time_zone, enabled_until, run_date_time } = item;
  const revision = String(item.revision ?? 0);
  const own = {
    action: "put",
    name: scheduleName(organizationId, KIND, id),
    revision,
    input: { organization: organizationId, kind: KIND, id, revision, scheduled_time: SCHEDULED_TIME },
  } as const;
  if (schedule_expression === undefined) return { ...own, expression: atExpression(run_date_time) };
  const start = startOf(item);
  return {
    ...own,
    expression: schedule_expression,
    ...(time_zone !== undefined && { time_zone }),
    ...(start > nowMillis() && { start: new Date(start).toISOString() }),
    ...(enabled_until !== undefined && { end: enabled_until.toISOString() }),
  };
};

/** Removes the schedule of an item. */
export const itemRemoval = (
  organizationId: string,
  { _id, revision }: Pick<ScheduledItem, "_id" | "revision">,
): ScheduleChange => ({
  action: "remove",
  name: scheduleName(organizationId, KIND, _id),
  revision: String(revision ?? 0),
});

/** Lets schedules follow in the transaction that changes what they are for. */
export const changeSchedules = async (
  database: TenantDatabase,
  changes: readonly ScheduleChange[],
  session: ClientSession,
): Promise<void> => {
  if (changes.length === 0) return;
  await addToOutbox(
    database,
    session,
    changes.map((schedule) => ({ schedule })),
  );
};

/** Lets the schedules of written items follow, in the transaction of the write. */
export const scheduleItems = async (
  target: Target,
  written: readonly RecordChange[],
  session: ClientSession,
): Promise<void> => {
  const { tenant } = target;
  if (!isItem(target) || !schedulesRun(tenant)) return;
  const { organization_id } = tenant;
  const changes = written.flatMap(({ before, after }): ScheduleChange[] => {
    const [earlier, item] = [before, after] as (ScheduledItem | null)[];
    if (item && isWaiting(item)) return [itemSchedule(organization_id, item)];
    return earlier && (earlier.status === "Queued" || earlier.status === "Running")
      ? [itemRemoval(organization_id, earlier)]
      : [];
  });
  await changeSchedules(tenant, changes, session);
};

/** Items of one change of a sandbox's settings. The job reconcile-schedules finds the others. */
const MOST_AT_ONCE = 1_000;

const withSchedules = { status: { $in: ["Queued", "Running"] as const } };

/** Lets the schedules of all items follow when the items of a sandbox are paused or go on, in the same transaction. */
export const pauseSchedules = async (
  database: TenantDatabase,
  isPaused: boolean,
  session: ClientSession,
): Promise<void> => {
  const { organization_id, collection } = database;
  const items = await collection<ScheduledItem & { _id: string }>(SCHEDULED_ITEM)
    .find(withSchedules, { session })
    .limit(MOST_AT_ONCE)
    .toArray();
  const change = isPaused ? itemRemoval : itemSchedule;
  await changeSchedules(
    database,
    items.filter(isWaiting).map((item) => change(organization_id, item)),
    session,
  );
};

/** Removals at the same time, and in all. */
const REMOVED_AT_ONCE = 8;
const MOST_REMOVED = 2_000;

/** Finds the items that may have schedules. */
export const itemsWithSchedules: Document[] = [
  { $match: withSchedules },
  { $limit: MOST_REMOVED },
  { $project: { _id: 1 } },
];

/**
 * Removes the schedules of items whose records go with their database or copy. What is left, because Scheduler cannot
 * be reached or there are too many, deletes itself at its next run, or is found by the job reconcile-schedules.
 */
export const removeSchedules = async (organizationId: string, items: readonly { _id: string }[]): Promise<void> => {
  const names = items.map(({ _id }) => scheduleName(organizationId, KIND, _id)).values();
  const worker = async (): Promise<void> => {
    for (const name of names) await removeSchedule(name);
  };
  try {
    await Promise.all(Array.from({ length: REMOVED_AT_ONCE }, worker));
  } catch (error) {
    log.error({ organization: organizationId, err: error }, "schedules of items were not removed");
  }
};
