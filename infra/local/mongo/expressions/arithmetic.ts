import { MongoFault } from "../foundation/fault.ts";
import { Decimal, decimalToBigInt } from "../values/decimal.ts";
import { divideDecimals, negate, remainderDecimals, roundDecimal } from "../values/decimal-arithmetic.ts";
import {
  arithmetic,
  fitsInt64,
  isDouble,
  isNullish,
  isNumeric,
  type Numeric,
  toDecimal,
  toInt64,
  toNumber,
} from "../values/numbers.ts";
import { typeName } from "../values/type-names.ts";
import { Double, double, isInt32, type Maybe, millisecondsOf, UtcDate, utcDate } from "../values/types.ts";
import { type Expr, fold, type Operator } from "./compile.ts";
import { operands } from "./operands.ts";

function add(a: Maybe, b: Maybe): Maybe {
  if (isNumeric(a) && isNumeric(b)) return arithmetic("add", a, b);
  if (a instanceof UtcDate && b instanceof UtcDate)
    throw new MongoFault("Location16612", "only one date allowed in an $add expression");
  if (a instanceof UtcDate && isNumeric(b)) return moved(a, b);
  if (b instanceof UtcDate && isNumeric(a)) return moved(b, a);
  const wrong = isNumeric(a) || a instanceof UtcDate ? b : a;
  throw new MongoFault("TypeMismatch", `$add only supports numeric or date types, not ${typeName(wrong)}`);
}

/** Rounds to the nearest integer, halves away from zero; decimals round halves to even. */
function wholeMilliseconds(by: Numeric): bigint {
  const overflow = (): MongoFault => new MongoFault("Overflow", "date overflow");
  if (typeof by === "bigint") return by;
  if (by instanceof Decimal) {
    const rounded = roundDecimal(by, 0, "halfEven");
    if (rounded.kind !== "finite" || rounded.exponent > 20) throw overflow();
    return decimalToBigInt(rounded);
  }
  const number = toNumber(by);
  if (!(number >= -(2 ** 63) && number < 2 ** 63)) throw overflow();
  const size = Math.abs(number);
  const whole = Math.floor(size);
  return BigInt(Math.sign(number) * (size - whole >= 0.5 ? whole + 1 : whole));
}

function moved(date: UtcDate, by: Numeric, sign: 1n | -1n = 1n): UtcDate {
  const ms = millisecondsOf(date) + sign * wholeMilliseconds(by);
  if (!fitsInt64(ms)) throw new MongoFault("Overflow", "date overflow");
  return utcDate(ms);
}

function subtract(a: Maybe, b: Maybe): Maybe {
  if (isNullish(a) || isNullish(b)) return null;
  if (isNumeric(a) && isNumeric(b)) return arithmetic("subtract", a, b);
  if (a instanceof UtcDate && b instanceof UtcDate) {
    const difference = millisecondsOf(a) - millisecondsOf(b);
    if (!fitsInt64(difference)) throw new MongoFault("DurationOverflow", "the difference of the dates overflows");
    return difference;
  }
  if (a instanceof UtcDate && isNumeric(b)) return moved(a, b, -1n);
  throw new MongoFault("TypeMismatch", `can't $subtract ${typeName(b)} from ${typeName(a)}`);
}

function multiply(a: Maybe, b: Maybe): Maybe {
  if (isNumeric(a) && isNumeric(b)) return arithmetic("multiply", a, b);
  throw new MongoFault("TypeMismatch", `$multiply only supports numeric types, not ${typeName(isNumeric(a) ? b : a)}`);
}

function divide(a: Maybe, b: Maybe): Maybe {
  if (isNullish(a) || isNullish(b)) return null;
  if (!isNumeric(a) || !isNumeric(b)) {
    throw new MongoFault("TypeMismatch", `$divide only supports numeric types, not ${typeName(a)} and ${typeName(b)}`);
  }
  if (isZero(b)) throw new MongoFault("BadValue", "can't $divide by zero");
  if (a instanceof Decimal || b instanceof Decimal) return divideDecimals(toDecimal(a), toDecimal(b));
  return double(toNumber(a) / toNumber(b));
}

const isZero = (value: Numeric): boolean =>
  value instanceof Decimal ? value.kind === "finite" && value.coefficient === 0n : toNumber(value) === 0;

function modulo(a: Maybe, b: Maybe): Maybe {
  if (isNullish(a) || isNullish(b)) return null;
  if (!isNumeric(a) || !isNumeric(b)) {
    throw new MongoFault("Location16611", `$mod only supports numeric types, not ${typeName(a)} and ${typeName(b)}`);
  }
  if (isZero(b)) throw new MongoFault("Location16610", "can't $mod by zero");
  if (a instanceof Decimal || b instanceof Decimal) return remainderDecimals(toDecimal(a), toDecimal(b));
  if (isDouble(a) || isDouble(b)) {
    // MongoDB computes whole doubles as integers, with the same result.
    return double(toNumber(a) % toNumber(b));
  }
  if (typeof a === "number" && typeof b === "number") return (a % b) + 0;
  return (toInt64(a) as bigint) % (toInt64(b) as bigint);
}

const narrowed = (value: Maybe): Maybe => (typeof value === "bigint" && isInt32(Number(value)) ? Number(value) : value);

/** From left to right, up to the first null. If all operands are ints the result is an int where it fits. */
function sequence(step: (a: Maybe, b: Maybe) => Maybe, unit: number): Operator {
  return (argument, scope, name) => {
    const parts = operands(name, argument, scope, 0, Infinity);
    return fold(parts, (frame) => {
      let total: Maybe = unit;
      let onlyInts = true;
      for (const part of parts) {
        const value = part(frame);
        if (isNullish(value)) return null;
        onlyInts &&= typeof value === "number" && isInt32(value);
        total = step(total, value);
      }
      return onlyInts ? narrowed(total) : total;
    });
  };
}

function pair(apply: (a: Maybe, b: Maybe) => Maybe): Operator {
  return (argument, scope, name) => {
    const [a, b] = operands(name, argument, scope, 2) as [Expr, Expr];
    return fold([a, b], (frame) => apply(a(frame), b(frame)));
  };
}

function bitwise(start: number, combine: (a: bigint, b: bigint) => bigint): Operator {
  return (argument, scope, name) => {
    const parts = operands(name, argument, scope, 0, Infinity);
    return fold(parts, (frame) => {
      let total = BigInt(start);
      let wide = false;
      let empty = false;
      for (const part of parts) {
        const value = part(frame);
        if (isNullish(value)) {
          empty = true;
          continue;
        }
        if (typeof value === "bigint") wide = true;
        else if (typeof value !== "number" || !isInt32(value)) {
          throw new MongoFault("TypeMismatch", `${name} only supports int and long operands, not ${typeName(value)}`);
        }
        total = combine(total, BigInt(value));
      }
      if (empty) return null;
      return wide ? BigInt.asIntN(64, total) : Number(BigInt.asIntN(32, total));
    });
  };
}

export const arithmeticOperators: Record<string, Operator> = {
  $add: sequence(add, 0),
  $multiply: sequence(multiply, 1),
  $subtract: pair(subtract),
  $divide: pair(divide),
  $mod: pair(modulo),
  $bitAnd: bitwise(-1, (a, b) => a & b),
  $bitOr: bitwise(0, (a, b) => a | b),
  $bitXor: bitwise(0, (a, b) => a ^ b),
  $bitNot(argument, scope, name) {
    const [part] = operands(name, argument, scope, 1) as [Expr];
    return fold([part], (frame) => {
      const value = part(frame);
      if (isNullish(value)) return null;
      if (typeof value === "bigint") return ~value;
      if (typeof value === "number" && isInt32(value)) return ~value;
      throw new MongoFault("TypeMismatch", `$bitNot only supports int and long, not: ${typeName(value)}.`);
    });
  },
  $abs(argument, scope, name) {
    const [part] = operands(name, argument, scope, 1) as [Expr];
    return fold([part], (frame) => {
      const value = part(frame);
      if (isNullish(value)) return null;
      if (!isNumeric(value))
        throw new MongoFault("Location28765", `$abs only supports numeric types, not ${typeName(value)}`);
      if (value instanceof Decimal) return value.negative ? negate(value) : value;
      if (value instanceof Double) return new Double(Math.abs(value.value));
      if (typeof value === "bigint") {
        if (value === -(2n ** 63n)) throw new MongoFault("Location28680", "can't take $abs of long long min");
        return value < 0n ? -value : value;
      }
      if (!isInt32(value)) return double(Math.abs(value));
      return value === -2147483648 ? 2147483648n : Math.abs(value);
    });
  },
};
