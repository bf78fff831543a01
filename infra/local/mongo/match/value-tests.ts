import { countCompiledPart } from "../foundation/budget.ts";
import { badValue } from "../foundation/fault.ts";
import { patternOf } from "../regex/regex.ts";
import { compare, compareNumbers, rankOf, type StringOrder } from "../values/compare.ts";
import { Decimal } from "../values/decimal.ts";
import { encodeKey } from "../values/key.ts";
import { isNumeric, toInt64, toNumber } from "../values/numbers.ts";
import { Binary, Double, MaxKey, type Maybe, MinKey, Regex, type Value } from "../values/types.ts";
import type { Test } from "./match-path.ts";

const isNaNValue = (value: Maybe): boolean =>
  (typeof value === "number" && Number.isNaN(value)) || (value instanceof Decimal && value.kind === "nan");

export function equalTest(wanted: Value, order: StringOrder | undefined): Test {
  if (wanted === null) return (value) => value === null || value === undefined;
  if (typeof wanted === "boolean") return (value) => value === wanted;
  if (typeof wanted === "string" && order === undefined) return (value) => value === wanted;
  if (isNaNValue(wanted)) return isNaNValue;
  if (typeof wanted === "number") {
    return (value) =>
      value === wanted || (typeof value !== "number" && isNumeric(value) && compareNumbers(value, wanted) === 0);
  }
  const rank = rankOf(wanted);
  return (value) => value !== undefined && rankOf(value) === rank && compare(value, wanted, order) === 0;
}

export type Comparison = "$lt" | "$lte" | "$gt" | "$gte";

const passes: Record<Comparison, (order: number) => boolean> = {
  $lt: (order) => order < 0,
  $lte: (order) => order <= 0,
  $gt: (order) => order > 0,
  $gte: (order) => order >= 0,
};

/** Compares within one type only: {$gt: 5} never matches a string. */
export function comparisonTest(operator: Comparison, wanted: Value, order: StringOrder | undefined): Test {
  const orEqual = operator === "$lte" || operator === "$gte";
  if (wanted === null) return orEqual ? equalTest(null, order) : () => false;
  if (wanted instanceof Regex) throw badValue(`Can't have RegEx as arg to predicate over field`);
  const pass = passes[operator];
  if (wanted instanceof MinKey || wanted instanceof MaxKey)
    return (value) => pass(compare(value === undefined ? null : value, wanted));
  if (isNaNValue(wanted)) return orEqual ? isNaNValue : () => false;
  const rank = rankOf(wanted);
  if (typeof wanted === "number") {
    return (value) => {
      if (typeof value === "number")
        return pass(value < wanted ? -1 : value > wanted ? 1 : value === wanted ? 0 : Number.NaN);
      return isNumeric(value) && !isNaNValue(value) && pass(compareNumbers(value, wanted));
    };
  }
  return (value) =>
    value !== undefined && rankOf(value) === rank && !isNaNValue(value) && pass(compare(value, wanted, order));
}

export function regexTest(pattern: string, flags: string): Test {
  const compiled = patternOf(pattern, flags);
  return (value) => {
    if (typeof value === "string") return compiled.test(value);
    return value instanceof Regex && value.pattern === pattern && value.flags === flags;
  };
}

export function inTest(values: readonly Value[], order: StringOrder | undefined): Test {
  const tests = values.filter((value) => value instanceof Regex).map((value) => regexTest(value.pattern, value.flags));
  const plain = values.filter((value) => !(value instanceof Regex));
  if (plain.includes(null)) tests.push((value) => value === undefined);
  if (order !== undefined || plain.length < 4) tests.push(...plain.map((value) => equalTest(value, order)));
  else {
    const strings = new Set<Maybe>(plain.filter((value) => typeof value === "string"));
    const keys = new Set(plain.filter((value) => typeof value !== "string").map((value) => encodeKey(value)));
    tests.push((value) =>
      typeof value === "string"
        ? strings.has(value)
        : value !== undefined && keys.size > 0 && keys.has(encodeKey(value)),
    );
  }
  countCompiledPart(tests.length);
  const [only] = tests;
  if (tests.length === 1 && only !== undefined) return only;
  return (value) => tests.some((test) => test(value));
}

function modOperand(value: Value | undefined, what: string): bigint {
  if (!isNumeric(value)) throw badValue(`malformed mod, ${what} not a number`);
  if (value instanceof Decimal ? value.kind !== "finite" : !Number.isFinite(toNumber(value)))
    throw badValue(`malformed mod, ${what} value is invalid`);
  const integer = truncated(value);
  if (integer === undefined) throw badValue(`malformed mod, ${what} cannot be represented as a 64-bit integer`);
  return integer;
}

function truncated(value: Value): bigint | undefined {
  if (value instanceof Decimal) {
    if (value.kind !== "finite") return undefined;
    return toInt64(value) ?? toInt64(Math.trunc(toNumber(value)));
  }
  if (typeof value === "bigint") return value;
  const number = value instanceof Double ? value.value : (value as number);
  return toInt64(Math.trunc(number) + 0);
}

export function modTest(operand: Value): Test {
  if (!Array.isArray(operand)) throw badValue("malformed mod, needs to be an array");
  if (operand.length < 2) throw badValue("malformed mod, not enough elements");
  if (operand.length > 2) throw badValue("malformed mod, too many elements");
  const divisor = modOperand(operand[0], "divisor");
  const remainder = modOperand(operand[1], "remainder");
  if (divisor === 0n) throw badValue("divisor cannot be 0");
  return (value) => {
    if (!isNumeric(value)) return false;
    const integer = truncated(value);
    return integer !== undefined && integer % divisor === remainder;
  };
}

export type Bits = "$bitsAllSet" | "$bitsAllClear" | "$bitsAnySet" | "$bitsAnyClear";

function bitMask(operator: Bits, operand: Value): bigint {
  if (Array.isArray(operand)) {
    let mask = 0n;
    for (const item of operand) {
      const position = toInt64(item);
      if (position === undefined || position < 0n) throw badValue(`bit positions of ${operator} must be integers >= 0`);
      if (position > 0x7fffffffn) throw badValue("bit positions cannot be represented as a 32-bit signed integer");
      // Beyond 64 bits a number repeats its sign bit; binary data has as many bits as its length.
      if (position > 65535n)
        throw badValue(`${operator} with a bit position above 65535 is not supported by the embedded database`);
      mask |= 1n << position;
    }
    return mask;
  }
  if (operand instanceof Binary) return bytesToBits(operand.bytes);
  const mask = toInt64(operand);
  if (mask === undefined)
    throw badValue(`${operator} takes an Array, a number, or a BinData but received: ${typeof operand}`);
  if (mask < 0n) throw failedNegative(operator);
  return mask;
}

const failedNegative = (operator: string) => badValue(`Expected a non-negative number in: ${operator}`);

function bytesToBits(bytes: Uint8Array): bigint {
  let bits = 0n;
  for (let i = bytes.length - 1; i >= 0; i--) bits = (bits << 8n) | BigInt(bytes[i] as number);
  return bits;
}

export function bitsTest(operator: Bits, operand: Value): Test {
  const mask = bitMask(operator, operand);
  return (value) => {
    const bits = value instanceof Binary ? bytesToBits(value.bytes) : toInt64(value);
    if (bits === undefined) return false;
    const set = bits & mask;
    if (operator === "$bitsAllSet") return set === mask;
    if (operator === "$bitsAllClear") return set === 0n;
    return operator === "$bitsAnySet" ? set !== 0n : set !== mask;
  };
}
