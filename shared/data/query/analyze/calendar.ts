import { boundedCache } from "#shared/foundation/bounded-cache";
import type { RelativeDate, RelativeUnit } from "../parse/syntax.ts";

/** A calendar day as the milliseconds of its midnight in UTC, for arithmetic without time zones. */
export type Day = number;

const dayLength = 86_400_000;

/** `YYYY-MM-DD`. */
export const formatDay = (day: Day): string => new Date(day).toISOString().slice(0, 10);

/**
 * The first instant of `day` in the time zone. Where midnight is skipped by a clock change, it is the first instant
 * after the gap.
 */
export const startOfDay = (day: Day, timeZone: string): Date => {
  if (timeZone === "UTC") return new Date(day);
  const guess = day - offsetAt(day, timeZone);
  const early = day - offsetAt(guess - dayLength / 2, timeZone);
  const late = day - offsetAt(guess + dayLength / 2, timeZone);
  const candidates = [early, guess, late].filter((moment) => dayOf(new Date(moment), timeZone) === day);
  return new Date(Math.min(...(candidates.length > 0 ? candidates : [Math.max(early, late)])));
};

export const dayOf = (moment: Date, timeZone: string): Day => {
  const local = moment.getTime() + offsetAt(moment.getTime(), timeZone);
  return Math.floor(local / dayLength) * dayLength;
};

/**
 * Converts a local date-time, given as if it were UTC, to an instant. Of two possible instants at the end of summer
 * time it is the first.
 */
const localMoment = (local: number, timeZone: string): Date => {
  if (timeZone === "UTC") return new Date(local);
  const before = offsetAt(local - dayLength, timeZone);
  const early = local - before;
  return new Date(offsetAt(early, timeZone) === before ? early : local - offsetAt(local - before, timeZone));
};

/** The first day of the range and the first day after it. Weeks begin on Monday (ISO 8601). */
export const relativeDays = (date: Exclude<RelativeDate, "now">, today: Day): { from: Day; to: Day } => ({
  from: startOfUnit(today, date.unit, date.from),
  to: startOfUnit(today, date.unit, date.to + 1),
});

const startOfUnit = (today: Day, unit: RelativeUnit, count: number): Day => {
  const date = new Date(today);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  if (unit === "day") return today + count * dayLength;
  if (unit === "week") return today - ((date.getUTCDay() + 6) % 7) * dayLength + count * 7 * dayLength;
  if (unit === "month") return Date.UTC(year, month + count, 1);
  if (unit === "quarter") return Date.UTC(year, month - (month % 3) + count * 3, 1);
  return Date.UTC(year + count, 0, 1);
};

/** An estimate, because a format's internal tables cannot be measured. */
const formats = boundedCache<Intl.DateTimeFormat>({ mostBytes: 4 * 1024 * 1024, bytesOf: () => 32_000 });

/** The offset of local clocks from UTC in milliseconds. */
const offsetAt = (moment: number, timeZone: string): number => {
  if (timeZone === "UTC") return 0;
  let format = formats.get(timeZone);
  if (!format) {
    const numeric = { year: "numeric", month: "numeric", day: "numeric", hour: "numeric", minute: "numeric" } as const;
    format = new Intl.DateTimeFormat("en-US", {
      timeZone,
      hourCycle: "h23",
      era: "short",
      second: "numeric",
      ...numeric,
    });
    formats.set(timeZone, format);
  }
  const parts = new Map(format.formatToParts(moment).map((part) => [part.type, Number(part.value)]));
  const part = (name: Intl.DateTimeFormatPartTypes) => parts.get(name) ?? 0;
  const local = Date.UTC(part("year"), part("month") - 1, part("day"), part("hour"), part("minute"), part("second"));
  return local - Math.floor(moment / 1000) * 1000;
};

/** `YYYY-MM-DD` → day; null if it is no calendar day. */
export const parseDay = (text: string): Day | null => {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return null;
  const day = Date.UTC(Number(text.slice(0, 4)), Number(text.slice(5, 7)) - 1, Number(text.slice(8, 10)));
  return formatDay(day) === text ? day : null;
};

const dateTime =
  /^(\d{4}-\d{2}-\d{2})[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?(?:([Zz])|([+-])(\d{2}):?(\d{2})?)?$/;

/** Parses an ISO 8601 date-time, to the millisecond, as local time if it has no offset. Null if it is none. */
export const parseMoment = (text: string, timeZone: string): Date | null => {
  const match = dateTime.exec(text);
  const day = parseDay(match?.[1] ?? "");
  if (!match || day === null) return null;
  const [hour, minute, second] = [Number(match[2]), Number(match[3]), Number(match[4] ?? 0)];
  if (hour > 23 || minute > 59 || second > 59) return null;
  const millisecond = Number((match[5] ?? "").padEnd(3, "0").slice(0, 3));
  const local = day + ((hour * 60 + minute) * 60 + second) * 1000 + millisecond;
  if (match[6]) return new Date(local);
  if (!match[7]) return localMoment(local, timeZone);
  const [hours, minutes] = [Number(match[8]), Number(match[9] ?? 0)];
  if (hours > 23 || minutes > 59) return null;
  const offset = (hours * 60 + minutes) * 60_000;
  return new Date(match[7] === "+" ? local - offset : local + offset);
};
