import { DELAY_KIND, overdueRuns } from "#shared/automation/automation";
import {
  changeSchedules,
  isWaiting,
  itemRemoval,
  itemSchedule,
  schedulesRun,
} from "#shared/data/records/scheduling/scheduling";
import {
  atExpression,
  removeSchedule,
  SCHEDULED_TIME,
  scheduleInput,
  scheduleName,
  scheduleNamePrefixes,
  scheduleNames,
} from "#shared/foundation/aws/scheduler";
import { now, nowMillis } from "#shared/foundation/clock";
import { log } from "#shared/foundation/log";
import { openOverdueWindows } from "#shared/messaging/messaging";
import {
  EXECUTION_COLLECTION,
  openWithState,
  type TenantDatabase,
  type Visits,
  visitMarked,
} from "#shared/tenant/tenant";
import { endInterrupted, endOver, itemsOf } from "./items.ts";

/** An item that needs a schedule. */
interface Expected {
  readonly organization: string;
  readonly id: string;
}

/** Name of a schedule → what it is for. */
type ExpectedSchedules = Map<string, Expected>;

export interface ScheduleReconciliation extends Visits {
  readonly restored: number;
  readonly removed: number;
  readonly ended: number;
  readonly complete: boolean;
}

/** Runs of the last minutes may be on their way: their schedule is gone, and their item is still queued. */
const ON_ITS_WAY_MS = 10 * 60_000;
/** A schedule that was put a moment ago may not be listed yet. */
const SOON_MS = 60_000;
const PAGE = 1_000;

/** Another schedule than the one that Scheduler may remember by the token of this revision. */
const again = (revision: string): string => `${revision}.${nowMillis()}`;

const opened = async (organizationId: string): Promise<TenantDatabase | null> => {
  const found = await openWithState(organizationId);
  return found?.state.status === "active" && schedulesRun({ ...found.database, state: found.state })
    ? found.database
    : null;
};

/**
 * Its items wait for the end of the suspension. Those of a paused sandbox wait for its settings, which mark it again.
 */
const isSuspended = async (organizationId: string): Promise<boolean> =>
  (await openWithState(organizationId))?.state.status === "suspended";

/** Sends digests whose schedule was lost. Those of sandboxes are sent although their items are paused. */
const openDigests = async (organizationId: string): Promise<{ opened: number; isLeft: boolean }> => {
  const found = await openWithState(organizationId);
  if (found?.state.status !== "active") return { opened: 0, isLeft: false };
  return openOverdueWindows(found.database);
};

/** Whether an item lacks a run if it has no schedule. */
const isCertain = ({ run_date_time, schedule_expression }: Parameters<typeof isWaiting>[0]): boolean => {
  if (schedule_expression !== undefined) return true;
  const ahead = run_date_time.getTime() - nowMillis();
  return ahead > SOON_MS || ahead < -ON_ITS_WAY_MS;
};

/** The items of an organization that need schedules. */
const expectItems = async (database: TenantDatabase, expected: ExpectedSchedules): Promise<number> => {
  const { organization_id: organization } = database;
  let waiting = 0;
  for (let after = ""; ; ) {
    const page = await itemsOf(database)
      .find({ status: { $in: ["Queued", "Running"] }, _id: { $gt: after } })
      .sort({ _id: 1 })
      .limit(PAGE)
      .toArray();
    for (const item of page.filter(isWaiting)) {
      waiting += 1;
      if (isCertain(item)) expected.set(scheduleName(organization, "item", item._id), { organization, id: item._id });
    }
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return waiting;
    after = last._id;
  }
};

/** Lets automations go on whose delay was over long ago. Gives their number. */
const wakeOverdue = async (database: TenantDatabase): Promise<number> => {
  const { organization_id: organization } = database;
  const overdue = await overdueRuns(database);
  const schedules = overdue.map(({ id, revision }) => ({
    action: "put" as const,
    name: scheduleName(organization, DELAY_KIND, id),
    revision: again(String(revision)),
    expression: atExpression(now()),
    input: { organization, kind: DELAY_KIND, id, revision: String(revision), scheduled_time: SCHEDULED_TIME },
  }));
  await database.transaction((session) => changeSchedules(database, schedules, session));
  return overdue.length;
};

/** Puts the schedule of an item again, unless it does not need one any more. Gives the number of schedules. */
const restore = async ({ organization, id }: Expected): Promise<number> => {
  const database = await opened(organization);
  if (database === null) return 0;
  return database.transaction(async (session) => {
    const item = await itemsOf(database).findOne({ _id: id }, { session });
    if (item === null || !isWaiting(item)) return 0;
    const schedule = itemSchedule(organization, item);
    await changeSchedules(database, [{ ...schedule, revision: again(schedule.revision) }], session);
    return 1;
  });
};

/** Removes a schedule that no item needs. Gives the number of schedules. */
const removeStrange = async (name: string): Promise<number> => {
  const input = await scheduleInput(name);
  if (input === undefined) return 0;
  const { organization = "", kind, id = "" } = JSON.parse(input) as Partial<Expected> & { kind?: string };
  // The schedules of delays, digests and messages delete themselves.
  if (kind !== "item") return 0;
  const found = await openWithState(organization);
  if (found === null) {
    await removeSchedule(name);
    return 1;
  }
  const { database, state } = found;
  return database.transaction(async (session) => {
    const item = await itemsOf(database).findOne({ _id: id }, { session });
    if (item !== null && isWaiting(item) && schedulesRun({ ...database, state })) return 0;
    await changeSchedules(database, [itemRemoval(organization, item ?? { _id: id })], session);
    return 1;
  });
};

const counting = async (what: string, work: () => Promise<number>): Promise<number> => {
  try {
    return await work();
  } catch (error) {
    log.error({ schedule: what, err: error }, "a schedule was not reconciled");
    return 0;
  }
};

/** Compares the schedules whose names begin with the prefix. */
const comparePrefix = async (prefix: string, expected: ExpectedSchedules) => {
  const missing = new Map([...expected].filter(([name]) => name.startsWith(prefix)));
  const counts = { restored: 0, removed: 0 };
  for await (const names of scheduleNames(prefix)) {
    for (const name of names) {
      if (!missing.delete(name)) counts.removed += await counting(name, () => removeStrange(name));
    }
  }
  for (const [name, one] of missing) counts.restored += await counting(name, () => restore(one));
  return counts;
};

/** Half of the time is for the organizations. */
const RESERVE_MS = 20_000;

/**
 * Finds items without a schedule and schedules without an item, and ends runs on which nobody works. Each run begins
 * with other names, so that all are compared in the end if there are more than a run can compare. Repeatable.
 */
export const reconcileSchedules = async (remaining: () => number): Promise<ScheduleReconciliation> => {
  const expected: ExpectedSchedules = new Map();
  const counts = { restored: 0, removed: 0, ended: 0 };
  const half = remaining() / 2;
  const visits = await visitMarked(
    "schedules",
    () => remaining() - half,
    async (organizationId) => {
      const digests = await openDigests(organizationId);
      counts.restored += digests.opened;
      const database = await opened(organizationId);
      if (database === null) return digests.isLeft || (await isSuspended(organizationId));
      counts.ended += (await endInterrupted(database)) + (await endOver(database));
      counts.restored += await wakeOverdue(database);
      const waiting = await expectItems(database, expected);
      const isDelayed = await database.collection(EXECUTION_COLLECTION).findOne({ status: "waiting" });
      return waiting > 0 || isDelayed !== null || digests.isLeft;
    },
  );
  const first = Math.floor(nowMillis() / 3_600_000) % scheduleNamePrefixes.length;
  const prefixes = [...scheduleNamePrefixes.slice(first), ...scheduleNamePrefixes.slice(0, first)];
  for (const prefix of prefixes) {
    if (remaining() < RESERVE_MS) return { ...visits, ...counts, complete: false };
    const { restored, removed } = await comparePrefix(prefix, expected);
    counts.restored += restored;
    counts.removed += removed;
  }
  return { ...visits, ...counts, complete: true };
};
