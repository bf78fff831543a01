import { randomUUID } from "node:crypto";
import { atTime, type Clock } from "../clock.ts";
import { type Runs, runsOf } from "./expression.ts";
import { type Delivery, keyOf, type Store, type StoredSchedule } from "./store.ts";

/** A recurring schedule that was due while the platform was stopped runs once, if that was not longer ago. */
const MADE_UP_FOR_MS = 86_400_000;

interface Options {
  readonly clock: Clock;
  readonly store: Store;
  readonly deliver: (delivery: Delivery) => void;
}

export const runsOfSchedule = ({ expression, timeZone, start, end, modified }: StoredSchedule): Runs | undefined =>
  runsOf(expression, timeZone, { start, end, since: modified });

/** The last run that the platform has missed. */
const missed = (schedule: StoredSchedule, runs: Runs, now: number): number | undefined => {
  const { last, modified } = schedule;
  if (runs.once) return runs.next(last ?? Number.NEGATIVE_INFINITY);
  let found: number | undefined;
  for (let at = runs.next(Math.max(last ?? modified - 1, now - MADE_UP_FOR_MS)); at !== undefined && at <= now; ) {
    found = at;
    at = runs.next(at);
  }
  return found ?? runs.next(now);
};

/** Waits for the times of all schedules, and begins their runs. */
export const scheduleTimers = ({ clock, store, deliver }: Options) => {
  const cancels = new Map<string, () => void>();

  const disarm = (key: string): void => {
    cancels.get(key)?.();
    cancels.delete(key);
  };

  const run = (key: string, runs: Runs, at: number): void => {
    const schedule = store.schedules.get(key);
    if (schedule === undefined) return;
    const { group, name, target, afterCompletion } = schedule;
    const due: Delivery = { id: randomUUID(), group, name, at, target };
    const next = runs.next(Math.max(at, clock.now()));
    const isOver = next === undefined && afterCompletion === "DELETE";
    store.write({ due }, isOver ? { remove: key } : { put: { ...schedule, last: at } });
    if (next === undefined) disarm(key);
    else armAt(key, runs, next);
    deliver(due);
  };

  const armAt = (key: string, runs: Runs, at: number): void => {
    cancels.set(
      key,
      atTime(clock, at, () => run(key, runs, at)),
    );
  };

  return {
    /** Waits for the next time of a schedule that is new, was changed, or was there before a start. */
    arm: (schedule: StoredSchedule): void => {
      const key = keyOf(schedule);
      disarm(key);
      const runs = runsOfSchedule(schedule);
      if (runs === undefined || schedule.state === "DISABLED") return;
      const at = missed(schedule, runs, clock.now());
      if (at !== undefined) armAt(key, runs, at);
    },
    disarm,
    stop: (): void => {
      for (const cancel of cancels.values()) cancel();
      cancels.clear();
    },
  };
};
