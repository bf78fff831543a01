import { type ErrorCode, MongoFault, unsupported } from "../foundation/fault.ts";
import type { Doc } from "../values/document.ts";
import { isNullish } from "../values/numbers.ts";
import { utc, type Zone, zoneNamed } from "../values/time-zones.ts";
import { typeName } from "../values/type-names.ts";
import { type Maybe, ObjectId, Timestamp, UtcDate } from "../values/types.ts";
import { compile, constant, type Expr, type Scope } from "./compile.ts";

/** The range of a Date of JavaScript, within which calendars are computed. */
const mostMilliseconds = 8.64e15;

const beyond = (): MongoFault => unsupported("a date before the year -271821 or after 275760 in this expression");

/** The date of a computed instant. */
export function dateAt(ms: number): UtcDate {
  if (!(Math.abs(ms) <= mostMilliseconds)) throw beyond();
  return new UtcDate(ms);
}

/** The instant of a date, timestamp or ObjectId. The seconds of an ObjectId are signed, as in MongoDB. */
export function instantOf(value: Maybe, code: ErrorCode = "Location16006"): number {
  if (value instanceof UtcDate) {
    if (Math.abs(value.ms) > mostMilliseconds) throw beyond();
    return value.ms;
  }
  if (value instanceof Timestamp) return Number(value.value >> 32n) * 1000;
  if (value instanceof ObjectId) return Buffer.from(value.raw.slice(0, 4), "latin1").readInt32BE() * 1000;
  throw new MongoFault(code, `can't convert from BSON type ${typeName(value)} to Date`);
}

export const optional = (args: Doc, name: string, scope: Scope): Expr => {
  const value = args.get(name);
  return value === undefined ? constant(undefined) : compile(value, scope);
};

/** undefined if a time zone was given and is null: then the whole expression is null. */
export function zoneOf(value: Maybe, isGiven: boolean): Zone | undefined {
  if (!isGiven) return utc;
  if (isNullish(value)) return undefined;
  if (typeof value !== "string")
    throw new MongoFault("Location40517", `timezone must evaluate to a string, found ${typeName(value)}`);
  return zoneNamed(value);
}

export const units = ["year", "quarter", "month", "week", "day", "hour", "minute", "second", "millisecond"] as const;
export type Unit = (typeof units)[number];

export function unitOf(value: Maybe, name: string): Unit {
  if (typeof value !== "string")
    throw new MongoFault("Location5439013", `${name} requires 'unit' to be a string, but got ${typeName(value)}`);
  const unit = units.find((known) => known === value);
  if (unit === undefined)
    throw new MongoFault(
      "FailedToParse",
      `${name} parameter 'unit' value cannot be recognized as a time unit: ${value}`,
    );
  return unit;
}

export const fixedUnits: Partial<Record<Unit, number>> = {
  hour: 3_600_000,
  minute: 60_000,
  second: 1000,
  millisecond: 1,
};

const days = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];

/** The first day of the week. undefined if it was given and is null: then the whole expression is null. */
export function startOfWeekOf(value: Maybe, isGiven: boolean, name: string): number | undefined {
  if (!isGiven) return 0;
  return isNullish(value) ? undefined : dayOf(value, name);
}

function dayOf(value: Maybe, name: string): number {
  if (typeof value !== "string")
    throw new MongoFault("Location5439015", `${name} requires 'startOfWeek' to be a string`);
  const day = days.findIndex((full) => full === value.toLowerCase() || full.slice(0, 3) === value.toLowerCase());
  if (day < 0)
    throw new MongoFault(
      "Location5439016",
      `${name} parameter 'startOfWeek' value cannot be recognized as a day of a week: ${value}`,
    );
  return day;
}

/** Days since 1970-01-01 of a local time. */
export const dayNumber = (local: number): number => Math.floor(local / 86_400_000);

/** Midnight of a day. Months count from 0; months and days may overflow. */
export function utcTime(year: number, month: number, day: number): number {
  const date = new Date(0);
  date.setUTCFullYear(year, month, day);
  return date.getTime();
}

export const timeOf = ([hour = 0, minute = 0, second = 0, ms = 0]: readonly number[]): number =>
  ((hour * 60 + minute) * 60 + second) * 1000 + ms;
