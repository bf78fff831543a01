import { cronRuns } from "./cron.ts";
import { intervalOf } from "./rate.ts";
import { firstInstant } from "./wall-clock.ts";

export interface Bounds {
  /** Milliseconds since the epoch. One-time schedules ignore both bounds. */
  readonly start?: number | undefined;
  readonly end?: number | undefined;
  /** The creation or last change. A rate without a start counts from here on, and its first run is at once. */
  readonly since: number;
}

/** The runs of a schedule. */
export interface Runs {
  readonly once: boolean;
  /** The first one after a point in time; undefined if there is none. */
  next(after: number): number | undefined;
}

const AT = /^at\((\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\)$/;

const onceAt = (time: number): Runs => ({ once: true, next: (after) => (time > after ? time : undefined) });

const bounded = (next: Runs["next"], { start, end }: Bounds): Runs => ({
  once: false,
  next: (after) => {
    const found = next(start === undefined ? after : Math.max(after, start - 1));
    return found === undefined || (end !== undefined && found > end) ? undefined : found;
  },
});

/** Undefined for an expression that is not valid, or is not supported. */
export const runsOf = (expression: string, timeZone: string, bounds: Bounds): Runs | undefined => {
  const [, at] = AT.exec(expression) ?? [];
  if (at !== undefined) {
    const wall = Date.parse(`${at}Z`);
    if (Number.isNaN(wall) || new Date(wall).toISOString().slice(0, 19) !== at) return undefined;
    // A time that clocks skip counts as the one an hour later.
    const time = firstInstant(wall, timeZone) ?? firstInstant(wall + 3_600_000, timeZone);
    return time === undefined ? undefined : onceAt(time);
  }
  const interval = intervalOf(expression);
  if (interval !== undefined) {
    const first = bounds.start ?? bounds.since;
    const next = (after: number): number =>
      after < first ? first : first + (Math.floor((after - first) / interval) + 1) * interval;
    return bounded(next, bounds);
  }
  const [, fields] = /^cron\((.+)\)$/.exec(expression) ?? [];
  const next = fields === undefined ? undefined : cronRuns(fields, timeZone);
  return next === undefined ? undefined : bounded((after) => next(Math.max(after, bounds.since)), bounds);
};
