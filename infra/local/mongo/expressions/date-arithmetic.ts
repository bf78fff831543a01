import { MongoFault } from "../foundation/fault.ts";
import type { Doc } from "../values/document.ts";
import { isNullish, isNumeric, toInt64, toInteger } from "../values/numbers.ts";
import { toInstant, type Zone } from "../values/time-zones.ts";
import { typeName } from "../values/type-names.ts";
import type { Maybe, Value } from "../values/types.ts";
import { compile, type Expr, type Frame, type Operator, type Scope } from "./compile.ts";
import {
  dateAt,
  dayNumber,
  fixedUnits,
  instantOf,
  optional,
  startOfWeekOf,
  type Unit,
  unitOf,
  utcTime,
  zoneOf,
} from "./date-arguments.ts";
import { namedArguments } from "./operands.ts";

const monthsIn: Partial<Record<Unit, number>> = { month: 1, quarter: 3, year: 12 };
const daysIn: Partial<Record<Unit, number>> = { day: 1, week: 7 };

/** Days and larger units follow the zone's calendar. The day of a month is clamped to the length of the month. */
export function addTo(ms: number, unit: Unit, amount: number, zone: Zone): number {
  const fixed = fixedUnits[unit];
  if (fixed !== undefined) return ms + amount * fixed;
  const local = ms + zone(ms);
  const days = daysIn[unit];
  if (days !== undefined) return toInstant(local + amount * days * 86_400_000, zone);
  const date = new Date(local);
  const months = date.getUTCFullYear() * 12 + date.getUTCMonth() + amount * (monthsIn[unit] as number);
  const year = Math.floor(months / 12);
  const month = months - year * 12;
  const length = new Date(utcTime(year, month + 1, 0)).getUTCDate();
  const start = utcTime(year, month, Math.min(date.getUTCDate(), length));
  return toInstant(start + (local - dayNumber(local) * 86_400_000), zone);
}

function shifting(sign: 1 | -1): Operator {
  return (argument, scope, name) => {
    const args = namedArguments(name, argument, ["startDate", "unit", "amount"], ["timezone"]);
    const [start, unit, amount] = ["startDate", "unit", "amount"].map((key) =>
      compile(args.get(key) as Value, scope),
    ) as [Expr, Expr, Expr];
    const timezone = optional(args, "timezone", scope);
    return (frame) => {
      const [date, by, count] = [start(frame), unit(frame), amount(frame)];
      const zone = zoneOf(timezone(frame), args.has("timezone"));
      if (isNullish(date) || isNullish(by) || isNullish(count) || zone === undefined) return null;
      const number = isNumeric(count) ? toInt64(count) : undefined;
      if (number === undefined) throw new MongoFault("Location5166405", `${name} expects integer amount of time units`);
      const result = addTo(instantOf(date, "Location5166403"), unitOf(by, name), Number(number) * sign, zone);
      return dateAt(result);
    };
  };
}

function difference(start: number, end: number, unit: Unit, zone: Zone, startOfWeek: number): bigint {
  const fixed = fixedUnits[unit];
  if (unit === "hour") {
    // Local hours, which in some zones begin at half past.
    const shift = zone(start) % 3_600_000;
    return BigInt(Math.floor((end + shift) / 3_600_000) - Math.floor((start + shift) / 3_600_000));
  }
  if (fixed !== undefined) return BigInt(Math.floor(end / fixed) - Math.floor(start / fixed));
  const [from, to] = [start + zone(start), end + zone(end)];
  if (unit === "day") return BigInt(dayNumber(to) - dayNumber(from));
  if (unit === "week") {
    // 1970-01-01 was a Thursday.
    const week = (local: number): number => Math.floor((dayNumber(local) + 4 - startOfWeek) / 7);
    return BigInt(week(to) - week(from));
  }
  const months = (local: number): number => {
    const date = new Date(local);
    return date.getUTCFullYear() * 12 + date.getUTCMonth();
  };
  const size = monthsIn[unit] as number;
  return BigInt(Math.floor(months(to) / size) - Math.floor(months(from) / size));
}

const firstDay = dayNumber(utcTime(2000, 0, 1));

/** The start of the bin that contains an instant. Bins are counted from the beginning of 2000. */
function truncated(ms: number, unit: Unit, size: number, zone: Zone, startOfWeek: number): number {
  const fixed = fixedUnits[unit];
  if (fixed !== undefined) {
    const start = toInstant(firstDay * 86_400_000, zone);
    const local = unit === "hour" || fixed * size >= 3_600_000 ? ms + zone(ms) - zone(start) : ms;
    const width = fixed * size;
    return ms - ((((local - start) % width) + width) % width);
  }
  const local = ms + zone(ms);
  if (unit === "day" || unit === "week") {
    const width = size * (daysIn[unit] as number);
    // 2000-01-01 was a Saturday. Weeks are counted from the first start of a week on or after it.
    const start = unit === "day" ? firstDay : firstDay + ((startOfWeek - 6 + 7) % 7);
    const day = start + Math.floor((dayNumber(local) - start) / width) * width;
    return toInstant(day * 86_400_000, zone);
  }
  const date = new Date(local);
  const width = size * (monthsIn[unit] as number);
  const months = Math.floor((date.getUTCFullYear() * 12 + date.getUTCMonth() - 24000) / width) * width + 24000;
  return toInstant(utcTime(Math.floor(months / 12), months - Math.floor(months / 12) * 12, 1), zone);
}

export const dateArithmeticOperators: Record<string, Operator> = {
  $dateAdd: shifting(1),
  $dateSubtract: shifting(-1),

  $dateDiff(argument, scope, name) {
    const args = namedArguments(name, argument, ["startDate", "endDate", "unit"], ["timezone", "startOfWeek"]);
    const [start, end, unit] = ["startDate", "endDate", "unit"].map((key) =>
      compile(args.get(key) as Value, scope),
    ) as [Expr, Expr, Expr];
    const [timezone, startOfWeek] = [optional(args, "timezone", scope), optional(args, "startOfWeek", scope)];
    return (frame) => {
      const [from, to, by] = [start(frame), end(frame), unit(frame)];
      const zone = zoneOf(timezone(frame), args.has("timezone"));
      if (isNullish(from) || isNullish(to) || isNullish(by) || zone === undefined) return null;
      const parsed = unitOf(by, name);
      // Only weeks have a first day.
      const first = parsed === "week" ? startOfWeekOf(startOfWeek(frame), args.has("startOfWeek"), name) : 0;
      if (first === undefined) return null;
      return difference(instantOf(from, "Location5166307"), instantOf(to, "Location5166307"), parsed, zone, first);
    };
  },

  $dateTrunc(argument, scope, name) {
    const args = namedArguments(name, argument, ["date", "unit"], ["binSize", "timezone", "startOfWeek"]);
    const parts = truncParts(args, scope);
    return (frame) => {
      const [date, unit] = [parts.date(frame), parts.unit(frame)];
      const zone = zoneOf(parts.timezone(frame), args.has("timezone"));
      const size = parts.binSize(frame);
      if (isNullish(date) || isNullish(unit) || zone === undefined) return null;
      if (args.has("binSize") && isNullish(size)) return null;
      const parsed = unitOf(unit, name);
      const first = parsed === "week" ? startOfWeekOf(parts.startOfWeek(frame), args.has("startOfWeek"), name) : 0;
      if (first === undefined) return null;
      return dateAt(truncated(instantOf(date, "Location5439012"), parsed, binSize(size), zone, first));
    };
  },
};

function truncParts(
  args: Doc,
  scope: Scope,
): Record<"date" | "unit" | "binSize" | "timezone" | "startOfWeek", (frame: Frame) => Maybe> {
  return {
    date: optional(args, "date", scope),
    unit: optional(args, "unit", scope),
    binSize: optional(args, "binSize", scope),
    timezone: optional(args, "timezone", scope),
    startOfWeek: optional(args, "startOfWeek", scope),
  };
}

function binSize(value: Maybe): number {
  if (value === undefined) return 1;
  const size = isNumeric(value) ? toInteger(value) : undefined;
  if (size === undefined)
    throw new MongoFault(
      "Location5439017",
      `$dateTrunc requires 'binSize' to be a 64-bit integer, but got value of type ${typeName(value)}`,
    );
  if (size <= 0)
    throw new MongoFault(
      "Location5439018",
      `$dateTrunc requires 'binSize' to be greater than 0, but got value ${size}`,
    );
  return size;
}
