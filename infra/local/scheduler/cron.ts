import { Cron } from "croner";
import { firstInstant, wallTime } from "./wall-clock.ts";

const MONTHS = "JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC";
const DAYS = "SUN|MON|TUE|WED|THU|FRI|SAT";

/** A list of values, ranges and increments. */
const listOf = (value: string, increments = true): RegExp => {
  const range = `(?:\\*|${value}(?:-${value})?)`;
  const item = increments ? `${range}(?:/\\d+)?` : range;
  return new RegExp(`^${item}(?:,${item})*$`);
};

const number = "\\d{1,2}";
const patterns = {
  minute: listOf(number),
  hour: listOf(number),
  day: new RegExp(`^(?:L|${number}W|${listOf(number).source.slice(1, -1)})$`),
  month: listOf(`(?:${number}|${MONTHS})`),
  weekday: new RegExp(
    `^(?:L|(?:[1-7]|${DAYS})(?:L|#[1-5])|${listOf(`(?:[1-7]|${DAYS})`, false).source.slice(1, -1)})$`,
  ),
  year: listOf("\\d{4}"),
};

const last = { minute: 59, hour: 23, day: 31, month: 12, year: 2199 } as const;

/** croner wants a range before an increment: `5/10` becomes `5-59/10`. */
const withRanges = (field: string, end: number): string => field.replaceAll(/(^|,)(\d+)\//g, `$1$2-${end}/`);

/** Saturday, the last day of the week, or the last such day of the month: `6L` is croner's `6#L`. */
const weekdayOf = (field: string): string => (field === "L" ? "7" : field.replace(/^(\w+)L$/, "$1#L"));

/**
 * The cron pattern of croner for the six fields of EventBridge Scheduler. Undefined if it is not valid there or cannot
 * be represented. https://docs.aws.amazon.com/scheduler/latest/UserGuide/schedule-types.html#cron-based
 */
const cronerPattern = (fields: string): string | undefined => {
  const [minute = "", hour = "", day = "", month = "", weekday = "", year = "", ...rest] = fields.split(/ +/);
  // Exactly one of the two says nothing.
  if (rest.length > 0 || (day === "?") === (weekday === "?")) return undefined;
  const valid =
    patterns.minute.test(minute) &&
    patterns.hour.test(hour) &&
    (day === "?" || patterns.day.test(day)) &&
    patterns.month.test(month) &&
    (weekday === "?" || patterns.weekday.test(weekday)) &&
    patterns.year.test(year) &&
    (year.match(/\d{4}/g) ?? []).every((one) => Number(one) >= 1970 && Number(one) <= last.year);
  if (!valid) return undefined;
  return [
    "0",
    withRanges(minute, last.minute),
    withRanges(hour, last.hour),
    day === "?" ? "*" : withRanges(day, last.day),
    withRanges(month, last.month),
    weekday === "?" ? "*" : weekdayOf(weekday),
    withRanges(year, last.year),
  ].join(" ");
};

/**
 * The first run after a point in time, by the clocks of the zone. As on AWS, a time that clocks skip in spring is
 * skipped, and one that they show twice in autumn runs once. Undefined if there is none.
 */
type Next = (after: number) => number | undefined;

/** Undefined for an expression that is not valid, or that cannot be represented. */
export const cronRuns = (fields: string, timeZone: string): Next | undefined => {
  const pattern = cronerPattern(fields);
  if (pattern === undefined) return undefined;
  let cron: Cron;
  try {
    cron = new Cron(pattern, { timezone: "UTC", mode: "7-part", alternativeWeekdays: true, paused: true });
  } catch {
    return undefined;
  }
  return (after) => {
    let wall = wallTime(after, timeZone);
    for (;;) {
      const next = cron.nextRun(new Date(wall));
      if (next === null) return undefined;
      wall = next.getTime();
      const instant = firstInstant(wall, timeZone);
      if (instant !== undefined && instant > after) return instant;
    }
  };
};
