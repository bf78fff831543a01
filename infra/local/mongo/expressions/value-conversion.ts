import { MongoFault } from "../foundation/fault.ts";
import { Decimal, decimalToBigInt, decimalToNumber, decimalToString, parseDecimal } from "../values/decimal.ts";
import { roundDecimal } from "../values/decimal-arithmetic.ts";
import { fitsInt64, isNumeric, isTrue, toDecimal, toNumber } from "../values/numbers.ts";
import { toInstant, utc } from "../values/time-zones.ts";
import { typeName } from "../values/type-names.ts";
import {
  Double,
  double,
  isInt32,
  type Maybe,
  millisecondsOf,
  ObjectId,
  Timestamp,
  UtcDate,
  utcDate,
  type Value,
} from "../values/types.ts";
import { dateAt, instantOf } from "./date-arguments.ts";
import { formatDate } from "./date-format.ts";
import { parseIso } from "./date-parsing.ts";

export const failed = (message: string): MongoFault => new MongoFault("ConversionFailure", message);

export function stringOf(value: Value): string {
  if (typeof value === "string") return value;
  if (typeof value === "number") return Object.is(value, -0) ? "-0" : numberText(value);
  if (typeof value === "boolean" || typeof value === "bigint") return String(value);
  if (value instanceof Double) return numberText(value.value);
  if (value instanceof Decimal) return decimalToString(value);
  if (value instanceof ObjectId) return Buffer.from(value.raw, "latin1").toString("hex");
  if (value instanceof UtcDate) return formatDate(instantOf(value), "%Y-%m-%dT%H:%M:%S.%LZ", utc);
  throw noConversion(value, "string");
}

/** The shortest digits that identify the number, with an exponent from 1e16 on and below 1e-4. */
function numberText(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity";
  const size = Math.abs(value);
  if (size !== 0 && (size >= 1e16 || size < 1e-4)) return value.toExponential().replace(/e([+-])(\d)$/, "e$10$2");
  return String(value);
}

/** As C's `%g`, with six significant digits: the text of a double in string functions. */
export function shortNumberText(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "nan" : value > 0 ? "inf" : "-inf";
  if (Object.is(value, -0)) return "-0";
  const [mantissa = "0", exponent = "0"] = value.toExponential(5).split("e");
  if (Number(exponent) >= -4 && Number(exponent) < 6) return String(Number(value.toPrecision(6)));
  return `${Number(mantissa)}e${exponent.replace(/^([+-])(\d)$/, "$10$2")}`;
}

const noConversion = (value: Maybe, to: string): MongoFault =>
  failed(`Unsupported conversion from ${typeName(value)} to ${to} in $convert with no onError value`);

function toWhole(value: Value, name: "int" | "long"): bigint {
  const overflow = (): MongoFault =>
    failed(
      `Conversion would overflow target type in $convert with no onError value: ${String(isNumeric(value) ? toNumber(value) : value)}`,
    );
  let result: bigint;
  if (typeof value === "boolean") return value ? 1n : 0n;
  if (typeof value === "string") {
    if (!/^[+-]?\d+$/.test(value))
      throw failed(
        `Failed to parse number '${value}' in $convert with no onError value: Did not consume whole string.`,
      );
    result = BigInt(value.replace(/^\+/, ""));
  } else if (value instanceof UtcDate && name === "long") result = millisecondsOf(value);
  else if (value instanceof Decimal) {
    if (value.kind !== "finite")
      throw failed("Attempt to convert NaN or infinity value to integer type in $convert with no onError value");
    if (value.exponent > 20 && value.coefficient !== 0n) throw overflow();
    result = decimalToBigInt(roundDecimal(value, 0, "truncate"));
  } else if (isNumeric(value)) {
    if (typeof value === "bigint") result = value;
    else {
      const number = toNumber(value);
      if (!Number.isFinite(number))
        throw failed("Attempt to convert NaN or infinity value to integer type in $convert with no onError value");
      result = BigInt(Math.trunc(number));
    }
  } else throw noConversion(value, name);
  if (name === "int" ? !isInt32(Number(result)) : !fitsInt64(result)) throw overflow();
  return result;
}

function toDouble(value: Value): Value {
  if (typeof value === "boolean") return new Double(value ? 1 : 0);
  if (value instanceof UtcDate) return double(value.ms);
  if (value instanceof Decimal) {
    const number = decimalToNumber(value);
    if (!Number.isFinite(number) && value.kind === "finite")
      throw failed("Conversion would overflow target type in $convert with no onError value");
    return double(number);
  }
  if (isNumeric(value)) return double(toNumber(value));
  if (typeof value === "string") return double(parseNumber(value));
  throw noConversion(value, "double");
}

function parseNumber(text: string): number {
  if (/^[+-]?(?:inf|infinity)$/i.test(text)) return text.startsWith("-") ? -Infinity : Infinity;
  if (/^[+-]?nan$/i.test(text)) return Number.NaN;
  if (!/^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(text))
    throw failed(`Failed to parse number '${text}' in $convert with no onError value`);
  const number = Number(text);
  if (!Number.isFinite(number))
    throw failed(`Failed to parse number '${text}' in $convert with no onError value: Out of range`);
  return number;
}

function toDecimalValue(value: Value): Value {
  if (typeof value === "boolean") return toDecimal(value ? 1 : 0);
  if (value instanceof UtcDate) return toDecimal(millisecondsOf(value));
  if (isNumeric(value)) return toDecimal(value);
  if (typeof value === "string") {
    const decimal = parseDecimal(value);
    if (decimal === undefined) throw failed(`Failed to parse number '${value}' in $convert with no onError value`);
    return decimal;
  }
  throw noConversion(value, "decimal");
}

function toDate(value: Value): Value {
  if (value instanceof UtcDate) return value;
  if (value instanceof Timestamp || value instanceof ObjectId) return new UtcDate(instantOf(value));
  if (typeof value === "string") {
    const parsed = parseIso(value);
    if (parsed === undefined) throw failed(`Error parsing date string '${value}'`);
    return dateAt(toInstant(parsed.local, utc) - (parsed.offset ?? 0) * 60_000);
  }
  // MongoDB refuses an int too.
  if (typeof value === "number" && isInt32(value)) throw noConversion(value, "date");
  if (!isNumeric(value)) throw noConversion(value, "date");
  return utcDate(toWhole(value, "long"));
}

function toObjectId(value: Value): Value {
  if (value instanceof ObjectId) return value;
  if (typeof value !== "string") throw noConversion(value, "objectId");
  if (!/^[0-9a-fA-F]{24}$/.test(value))
    throw failed(`Failed to parse objectId '${value}' in $convert with no onError value`);
  return new ObjectId(Buffer.from(value, "hex").latin1Slice());
}

export type Converter = (value: Value) => Value;

export const converters: Record<number, Converter> = {
  1: toDouble,
  2: stringOf,
  7: toObjectId,
  8: (value) => (isNumeric(value) || typeof value === "boolean" ? isTrue(value) : true),
  9: toDate,
  16: (value) => Number(toWhole(value, "int")),
  18: (value) => toWhole(value, "long"),
  19: toDecimalValue,
};
