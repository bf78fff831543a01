import { Decimal, decimalFromBigInt, decimalFromDouble, decimalToBigInt, decimalToNumber } from "./decimal.ts";
import { addDecimals, multiplyDecimals } from "./decimal-arithmetic.ts";
import { Double, double, isInt32, type Maybe } from "./types.ts";

export type Numeric = number | bigint | Double | Decimal;

export function isNumeric(value: Maybe): value is Numeric {
  return typeof value === "number" || typeof value === "bigint" || value instanceof Double || value instanceof Decimal;
}

export const isDouble = (value: Numeric): boolean =>
  value instanceof Double || (typeof value === "number" && !isInt32(value));

export function toNumber(value: Numeric): number {
  if (typeof value === "number") return value;
  if (value instanceof Double) return value.value;
  return typeof value === "bigint" ? Number(value) : decimalToNumber(value);
}

export function toDecimal(value: Numeric): Decimal {
  if (value instanceof Decimal) return value;
  if (typeof value === "bigint") return decimalFromBigInt(value);
  return decimalFromDouble(value instanceof Double ? value.value : value);
}

const minInt64 = -(2n ** 63n);
const maxInt64 = 2n ** 63n - 1n;

export const fitsInt64 = (value: bigint): boolean => value >= minInt64 && value <= maxInt64;

/** The integer value of a number, or undefined if it has a fraction or does not fit 64 bits. */
export function toInt64(value: Maybe): bigint | undefined {
  if (typeof value === "bigint") return value;
  const number = value instanceof Double ? value.value : value;
  if (typeof number === "number") {
    if (!Number.isInteger(number)) return undefined;
    const integer = BigInt(number);
    return fitsInt64(integer) ? integer : undefined;
  }
  if (number instanceof Decimal) {
    if (number.kind !== "finite") return undefined;
    if (number.exponent < -34 && number.coefficient !== 0n) return undefined;
    if (number.exponent > 20 && number.coefficient !== 0n) return undefined;
    const integer = decimalToBigInt(number);
    if (number.exponent < 0 && number.coefficient % 10n ** BigInt(-number.exponent) !== 0n) return undefined;
    return fitsInt64(integer) ? integer : undefined;
  }
  return undefined;
}

/** An integer for limits, positions and sizes, clamped to the safe integers of JavaScript. */
export function toInteger(value: Maybe): number | undefined {
  const integer = toInt64(value);
  if (integer === undefined) return undefined;
  const number = Number(integer);
  return Number.isSafeInteger(number) ? number : integer > 0n ? Number.MAX_SAFE_INTEGER : Number.MIN_SAFE_INTEGER;
}

type Operation = "add" | "subtract" | "multiply";

const onNumbers = {
  add: (a: number, b: number) => a + b,
  subtract: (a: number, b: number) => a - b,
  multiply: (a: number, b: number) => a * b,
};
const onBigInts = {
  add: (a: bigint, b: bigint) => a + b,
  subtract: (a: bigint, b: bigint) => a - b,
  multiply: (a: bigint, b: bigint) => a * b,
};
const onDecimals = {
  add: addDecimals,
  subtract: (a: Decimal, b: Decimal) => addDecimals(a, multiplyDecimals(b, decimalFromBigInt(-1n))),
  multiply: multiplyDecimals,
};

/**
 * Arithmetic in the wider type of the two: int, long, double, decimal. An int result that overflows becomes a long. A
 * long result that overflows is undefined, and the caller decides.
 */
function calculate(operation: Operation, a: Numeric, b: Numeric): Numeric | undefined {
  if (a instanceof Decimal || b instanceof Decimal) return onDecimals[operation](toDecimal(a), toDecimal(b));
  if (isDouble(a) || isDouble(b)) return double(onNumbers[operation](toNumber(a), toNumber(b)));
  if (typeof a === "number" && typeof b === "number") {
    const result = onNumbers[operation](a, b);
    if (isInt32(result)) return result;
    if (Number.isSafeInteger(result)) return result === 0 ? 0 : BigInt(result);
  }
  const result = onBigInts[operation](BigInt(a as number | bigint), BigInt(b as number | bigint));
  return fitsInt64(result) ? result : undefined;
}

/** As in expressions: a long that overflows becomes a double. */
export function arithmetic(operation: Operation, a: Numeric, b: Numeric): Numeric {
  return calculate(operation, a, b) ?? double(onNumbers[operation](toNumber(a), toNumber(b)));
}

/** As in $inc and $mul: undefined where a long overflows, which is an error. */
export const strictArithmetic = calculate;

export function isTrue(value: Maybe): boolean {
  if (value === undefined || value === null || value === false) return false;
  if (value === true) return true;
  if (!isNumeric(value)) return true;
  if (value instanceof Decimal) return value.kind !== "finite" || value.coefficient !== 0n;
  return toNumber(value) !== 0;
}

export const isNullish = (value: Maybe): value is null | undefined => value === null || value === undefined;
