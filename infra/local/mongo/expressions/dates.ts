import { MongoFault } from "../foundation/fault.ts";
import { Doc } from "../values/document.ts";
import { isNullish, isNumeric, toInteger } from "../values/numbers.ts";
import { toInstant, utc, type Zone } from "../values/time-zones.ts";
import { typeName } from "../values/type-names.ts";
import type { Maybe, Value } from "../values/types.ts";
import { compile, type Expr, type Frame, type Operator, type Scope } from "./compile.ts";
import { dateAt, instantOf, optional, timeOf, utcTime, zoneOf } from "./date-arguments.ts";
import { formatDate } from "./date-format.ts";
import { parseIso, parseWith } from "./date-parsing.ts";
import { type DateParts, partsOf } from "./date-parts.ts";
import { namedArguments } from "./operands.ts";

/** $year and its like take a date, or an object with a date and a time zone. */
function part(read: (parts: DateParts) => Value): Operator {
  return (argument, scope, name) => {
    const isLong = argument instanceof Doc && argument.keys.length > 0 && !argument.keys[0]?.startsWith("$");
    const args = isLong ? namedArguments(name, argument, ["date"], ["timezone"]) : undefined;
    if (args === undefined && Array.isArray(argument) && argument.length !== 1) {
      throw new MongoFault(
        "Location40536",
        `${name} accepts exactly one argument if given an array, but was given ${argument.length}`,
      );
    }
    const date = compile(args?.get("date") ?? (Array.isArray(argument) ? (argument[0] as Value) : argument), scope);
    const timezone = args === undefined ? undefined : optional(args, "timezone", scope);
    return (frame) => {
      const value = date(frame);
      const zone = zoneOf(timezone?.(frame), args?.has("timezone") === true);
      if (isNullish(value) || zone === undefined) return null;
      return read(partsOf(instantOf(value), zone));
    };
  };
}

function dateToString(argument: Value, scope: Scope, name: string): Expr {
  const args = namedArguments(name, argument, ["date"], ["format", "timezone", "onNull"]);
  const [date, format, timezone, onNull] = ["date", "format", "timezone", "onNull"].map((key) =>
    optional(args, key, scope),
  ) as [Expr, Expr, Expr, Expr];
  return (frame) => {
    const value = date(frame);
    if (isNullish(value)) return args.has("onNull") ? onNull(frame) : null;
    const zone = zoneOf(timezone(frame), args.has("timezone"));
    const text = format(frame);
    if (zone === undefined || (args.has("format") && isNullish(text))) return null;
    if (text !== undefined && typeof text !== "string")
      throw new MongoFault(
        "Location18533",
        `$dateToString requires that 'format' be a string, found: ${typeName(text)}`,
      );
    return formatDate(
      instantOf(value),
      text ?? (zone === utc ? "%Y-%m-%dT%H:%M:%S.%LZ" : "%Y-%m-%dT%H:%M:%S.%L"),
      zone,
    );
  };
}

function dateFromString(argument: Value, scope: Scope, name: string): Expr {
  const args = namedArguments(name, argument, ["dateString"], ["format", "timezone", "onError", "onNull"]);
  const [source, format, timezone, onError, onNull] = ["dateString", "format", "timezone", "onError", "onNull"].map(
    (key) => optional(args, key, scope),
  ) as [Expr, Expr, Expr, Expr, Expr];
  const parse = (frame: Frame, text: Value): Maybe => {
    if (typeof text !== "string")
      throw new MongoFault(
        "ConversionFailure",
        `$dateFromString requires that 'dateString' be a string, found: ${typeName(text)} with value`,
      );
    const form = format(frame);
    const zone = zoneOf(timezone(frame), args.has("timezone"));
    if (zone === undefined || (args.has("format") && isNullish(form))) return null;
    if (form !== undefined && typeof form !== "string")
      throw new MongoFault(
        "Location40684",
        `$dateFromString requires that 'format' be a string, found: ${typeName(form)}`,
      );
    const parsed = form === undefined ? parseIso(text) : parseWith(text, form);
    if (parsed === undefined) throw new MongoFault("ConversionFailure", `Error parsing date string '${text}'`);
    if (parsed.offset === undefined) return dateAt(toInstant(parsed.local, zone));
    if (args.has("timezone"))
      throw new MongoFault(
        "ConversionFailure",
        `you cannot pass in a date/time string with GMT offset together with a timezone argument: '${text}'`,
      );
    return dateAt(parsed.local - parsed.offset * 60_000);
  };
  return (frame) => {
    const text = source(frame);
    if (isNullish(text)) return args.has("onNull") ? onNull(frame) : null;
    try {
      return parse(frame, text);
    } catch (error) {
      if (args.has("onError") && error instanceof MongoFault && error.codeName === "ConversionFailure")
        return onError(frame);
      throw error;
    }
  };
}

const calendarFields = ["year", "month", "day", "hour", "minute", "second", "millisecond"] as const;
const isoFields = ["isoWeekYear", "isoWeek", "isoDayOfWeek", "hour", "minute", "second", "millisecond"] as const;
const defaults = [1970, 1, 1, 0, 0, 0, 0];

/** Parts other than the year may overflow into the next larger one, within limits. */
function datePart(field: string, at: number, value: Value): number {
  const number = isNumeric(value) ? toInteger(value) : undefined;
  if (number === undefined)
    throw new MongoFault("Location40515", `'${field}' must evaluate to an integer, found ${typeName(value)}`);
  const isYear = at === 0;
  const [low, high] = isYear ? [1, 9999] : at < 5 ? [-32768, 32767] : [-Infinity, Infinity];
  if (number >= low && number <= high) return number;
  const code = !isYear ? "Location31034" : field === "isoWeekYear" ? "Location31095" : "Location40523";
  throw new MongoFault(code, `'${field}' must evaluate to an integer in the range ${low} to ${high}, found ${number}`);
}

function dateFromParts(argument: Value, scope: Scope, name: string): Expr {
  const isIso = argument instanceof Doc && argument.has("isoWeekYear");
  const fields = isIso ? isoFields : calendarFields;
  const args = namedArguments(name, argument, [fields[0]], [...fields.slice(1), "timezone"]);
  const parts = fields.map((field) => optional(args, field, scope));
  const timezone = optional(args, "timezone", scope);
  return (frame) => {
    const zone = zoneOf(timezone(frame), args.has("timezone"));
    const numbers: number[] = [];
    for (const [i, field] of fields.entries()) {
      const value = args.has(field) ? (parts[i] as Expr)(frame) : defaults[i];
      if (isNullish(value)) return null;
      numbers.push(datePart(field, i, value));
    }
    if (zone === undefined) return null;
    const [a, b, c, ...time] = numbers as [number, number, number, number, number, number, number];
    const local = isIso
      ? isoStart(a) + ((b - 1) * 7 + (c - 1)) * 86_400_000 + timeOf(time)
      : utcTime(a, b - 1, c) + timeOf(time);
    return dateAt(toInstant(local, zone));
  };
}

/** The Monday of the first ISO week of a year: the week with January 4th. */
function isoStart(year: number): number {
  const fourth = utcTime(year, 0, 4);
  return fourth - ((new Date(fourth).getUTCDay() + 6) % 7) * 86_400_000;
}

function dateToParts(argument: Value, scope: Scope, name: string): Expr {
  const args = namedArguments(name, argument, ["date"], ["timezone", "iso8601"]);
  const [date, timezone, iso] = ["date", "timezone", "iso8601"].map((key) => optional(args, key, scope)) as [
    Expr,
    Expr,
    Expr,
  ];
  return (frame) => {
    const value = date(frame);
    const zone: Zone | undefined = zoneOf(timezone(frame), args.has("timezone"));
    const isIso = iso(frame);
    if (isNullish(value) || zone === undefined || (args.has("iso8601") && isNullish(isIso))) return null;
    if (isIso !== undefined && typeof isIso !== "boolean")
      throw new MongoFault("Location40521", `iso8601 must evaluate to a bool, found ${typeName(isIso)}`);
    const parts = partsOf(instantOf(value), zone);
    const fields = isIso === true ? isoFields : calendarFields;
    return Doc.of(
      [...fields],
      fields.map((field) => parts[field]),
    );
  };
}

export const dateOperators: Record<string, Operator> = {
  $year: part((parts) => parts.year),
  $month: part((parts) => parts.month),
  $dayOfMonth: part((parts) => parts.day),
  $dayOfWeek: part((parts) => parts.dayOfWeek),
  $dayOfYear: part((parts) => parts.dayOfYear),
  $week: part((parts) => parts.week),
  $hour: part((parts) => parts.hour),
  $minute: part((parts) => parts.minute),
  $second: part((parts) => parts.second),
  $millisecond: part((parts) => parts.millisecond),
  $isoWeek: part((parts) => parts.isoWeek),
  $isoWeekYear: part((parts) => BigInt(parts.isoWeekYear)),
  $isoDayOfWeek: part((parts) => parts.isoDayOfWeek),
  $dateToString: dateToString,
  $dateFromString: dateFromString,
  $dateFromParts: dateFromParts,
  $dateToParts: dateToParts,
};
