import type { Zone } from "../values/time-zones.ts";
import { dayNumber, utcTime } from "./date-arguments.ts";

export interface DateParts {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly millisecond: number;
  /** 1 is Sunday. */
  readonly dayOfWeek: number;
  readonly dayOfYear: number;
  /** Weeks begin on Sunday. Days before the first Sunday are in week 0. */
  readonly week: number;
  readonly isoWeek: number;
  readonly isoWeekYear: number;
  /** 1 is Monday. */
  readonly isoDayOfWeek: number;
}

export function partsOf(ms: number, zone: Zone): DateParts {
  const date = new Date(ms + zone(ms));
  const year = date.getUTCFullYear();
  const dayOfYear = dayNumber(date.getTime()) - dayNumber(utcTime(year, 0, 1)) + 1;
  const weekday = date.getUTCDay();
  const isoDayOfWeek = weekday === 0 ? 7 : weekday;
  const { isoWeek, isoWeekYear } = isoWeekOf(dayNumber(date.getTime()), isoDayOfWeek);
  return {
    year,
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    hour: date.getUTCHours(),
    minute: date.getUTCMinutes(),
    second: date.getUTCSeconds(),
    millisecond: date.getUTCMilliseconds(),
    dayOfWeek: weekday + 1,
    dayOfYear,
    week: Math.floor((dayOfYear + 6 - weekday) / 7),
    isoWeek,
    isoWeekYear,
    isoDayOfWeek,
  };
}

/** A week belongs to the year of its Thursday. */
function isoWeekOf(day: number, isoDayOfWeek: number): { isoWeek: number; isoWeekYear: number } {
  const thursday = day + 4 - isoDayOfWeek;
  const isoWeekYear = new Date(thursday * 86_400_000).getUTCFullYear();
  return { isoWeekYear, isoWeek: Math.floor((thursday - dayNumber(utcTime(isoWeekYear, 0, 1))) / 7) + 1 };
}
