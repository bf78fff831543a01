import { type ErrorCode, MongoFault, unsupported } from "../foundation/fault.ts";
import { Decimal, decimalToNumber, power10, preciseDecimal } from "../values/decimal.ts";
import { quantized, type Rounding, roundDecimal } from "../values/decimal-arithmetic.ts";
import { fitsInt64, isDouble, isNullish, isNumeric, type Numeric, toInteger, toNumber } from "../values/numbers.ts";
import { typeName } from "../values/type-names.ts";
import { double, isInt32, type Maybe, type Value } from "../values/types.ts";
import { type Expr, fold, type Operator } from "./compile.ts";
import { operands } from "./operands.ts";

/** Functions of one double. Decimals are refused, since transcendental functions of them would not be exact. */
function real(apply: (x: number) => number, check?: (x: number, name: string) => void): Operator {
  return (argument, scope, name) => {
    const [part] = operands(name, argument, scope, 1) as [Expr];
    return fold([part], (frame) => {
      const value = part(frame);
      if (isNullish(value)) return null;
      return double(apply(realArgument(value, name, check)));
    });
  };
}

function realArgument(value: Value, name: string, check?: (x: number, name: string) => void): number {
  if (!isNumeric(value))
    throw new MongoFault("Location28765", `${name} only supports numeric types, not ${typeName(value)}`);
  if (value instanceof Decimal) throw unsupported(`${name} of a decimal`);
  const x = toNumber(value);
  check?.(x, name);
  return x;
}

const within =
  (low: number, high: number) =>
  (x: number, name: string): void => {
    if (x < low || x > high)
      throw new MongoFault("Location50989", `cannot apply ${name} to ${x}, value must be in [${low},${high}]`);
  };
const positive =
  (code: ErrorCode) =>
  (x: number, name: string): void => {
    if (x <= 0) throw new MongoFault(code, `${name}'s argument must be a positive number, but is ${x}`);
  };
const bounded = (x: number, name: string): void => {
  if (!Number.isFinite(x) && !Number.isNaN(x))
    throw new MongoFault("Location50989", `cannot apply ${name} to ${x}, value must be in (-inf,inf)`);
};

/** Rounds the double as a decimal of 34 digits: the double 2.675 is a little less than 2.675 and becomes 2.67. */
function roundDouble(x: number, place: number, rounding: Rounding): number {
  if (!Number.isFinite(x) || x === 0) return x;
  return decimalToNumber(quantized(preciseDecimal(x), place, rounding));
}

function roundInteger(value: bigint, place: number, rounding: Rounding): bigint {
  if (place >= 0) return value;
  const unit = power10(-place);
  const rest = value % unit;
  let result = value - rest;
  if (rounding !== "halfEven") return result;
  const twice = (rest < 0n ? -rest : rest) * 2n;
  if (twice > unit || (twice === unit && (result / unit) % 2n !== 0n)) result += value < 0n ? -unit : unit;
  return result;
}

function roundAt(value: Numeric, place: number, rounding: Rounding): Numeric {
  if (value instanceof Decimal) return quantized(value, place, rounding);
  if (isDouble(value)) return double(roundDouble(toNumber(value), place, rounding));
  const result = roundInteger(BigInt(value as number | bigint), place, rounding);
  if (typeof value === "number" && isInt32(Number(result))) return Number(result);
  if (!fitsInt64(result))
    throw new MongoFault(
      "Location51080",
      "invalid conversion from Decimal128 result in $round resulting from arguments",
    );
  return result;
}

function rounding(mode: Rounding): Operator {
  return (argument, scope, name) => {
    const [part, placePart] = operands(name, argument, scope, 1, 2) as [Expr, Expr | undefined];
    const parts = placePart === undefined ? [part] : [part, placePart];
    return fold(parts, (frame) => {
      const value = part(frame);
      const placeValue: Maybe = placePart === undefined ? 0 : placePart(frame);
      if (isNullish(value) || isNullish(placeValue)) return null;
      if (!isNumeric(value))
        throw new MongoFault("Location51081", `${name} only supports numeric types, not ${typeName(value)}`);
      const place = toInteger(placeValue);
      if (place === undefined)
        throw new MongoFault("Location51082", `precision argument to ${name} must be a integral value`);
      if (place < -20 || place > 100)
        throw new MongoFault(
          "Location51083",
          `cannot apply ${name} with precision value ${place} value must be in [-20, 100]`,
        );
      return roundAt(value, place, mode);
    });
  };
}

function whole(mode: Rounding): Operator {
  return (argument, scope, name) => {
    const [part] = operands(name, argument, scope, 1) as [Expr];
    return fold([part], (frame) => {
      const value = part(frame);
      if (isNullish(value)) return null;
      if (!isNumeric(value))
        throw new MongoFault("Location28765", `${name} only supports numeric types, not ${typeName(value)}`);
      if (value instanceof Decimal) return roundDecimal(value, 0, mode);
      if (!isDouble(value)) return value;
      return double(mode === "floor" ? Math.floor(toNumber(value)) : Math.ceil(toNumber(value)));
    });
  };
}

function power(base: Maybe, exponent: Maybe): Maybe {
  if (isNullish(base) || isNullish(exponent)) return null;
  if (!isNumeric(base)) throw new MongoFault("Location28762", `$pow's base must be numeric, not ${typeName(base)}`);
  if (!isNumeric(exponent))
    throw new MongoFault("Location28763", `$pow's exponent must be numeric, not ${typeName(exponent)}`);
  if (base instanceof Decimal || exponent instanceof Decimal) throw unsupported("$pow of a decimal");
  const x = toNumber(base);
  const y = toNumber(exponent);
  if (x === 0 && y < 0) throw new MongoFault("Location28764", "$pow cannot take a base of 0 and a negative exponent");
  if (isDouble(base) || isDouble(exponent)) return double(realPower(x, y));
  if (y < 0 && x !== 1 && x !== -1) return double(x ** y);
  const exact = wholePower(BigInt(base as number | bigint), BigInt(exponent as number | bigint));
  if (exact === undefined) return double(x ** y);
  if (typeof base === "bigint" || typeof exponent === "bigint") return exact;
  return isInt32(Number(exact)) ? Number(exact) : exact;
}

/** As C's pow(), which is 1 where JavaScript has NaN: 1 to any power, and -1 to an infinite one. */
function realPower(x: number, y: number): number {
  return x === 1 || (x === -1 && Math.abs(y) === Infinity) ? 1 : x ** y;
}

/** undefined if the result does not fit 64 bits. */
function wholePower(base: bigint, exponent: bigint): bigint | undefined {
  if (base === 0n || base === 1n) return exponent === 0n ? 1n : base;
  if (base === -1n) return exponent % 2n === 0n ? 1n : -1n;
  if (exponent > 64n) return undefined;
  const result = base ** exponent;
  return fitsInt64(result) ? result : undefined;
}

export const mathOperators: Record<string, Operator> = {
  $round: rounding("halfEven"),
  $trunc: rounding("truncate"),
  $floor: whole("floor"),
  $ceil: whole("ceil"),
  $sqrt: real(Math.sqrt, (x, name) => {
    if (x < 0) throw new MongoFault("Location28714", `${name}'s argument must be greater than or equal to 0`);
  }),
  $exp: real(Math.exp),
  $ln: real(Math.log, positive("Location28766")),
  $log10: real(Math.log10, positive("Location28761")),
  $sin: real(Math.sin, bounded),
  $cos: real(Math.cos, bounded),
  $tan: real(Math.tan, bounded),
  $asin: real(Math.asin, within(-1, 1)),
  $acos: real(Math.acos, within(-1, 1)),
  $atan: real(Math.atan),
  $sinh: real(Math.sinh),
  $cosh: real(Math.cosh),
  $tanh: real(Math.tanh),
  $asinh: real(Math.asinh),
  $acosh: real(Math.acosh, within(1, Infinity)),
  $atanh: real(Math.atanh, within(-1, 1)),
  $degreesToRadians: real((x) => (x * Math.PI) / 180),
  $radiansToDegrees: real((x) => (x * 180) / Math.PI),
  $rand: (argument, scope, name) => {
    operands(name, Array.isArray(argument) ? argument : [], scope, 0);
    return () => double(Math.random());
  },
  $atan2(argument, scope, name) {
    const [a, b] = operands(name, argument, scope, 2) as [Expr, Expr];
    return fold([a, b], (frame) => {
      const y = a(frame);
      const x = b(frame);
      if (isNullish(y) || isNullish(x)) return null;
      return double(Math.atan2(realArgument(y, name), realArgument(x, name)));
    });
  },
  $log(argument, scope, name) {
    const [a, b] = operands(name, argument, scope, 2) as [Expr, Expr];
    return fold([a, b], (frame) => {
      const value = a(frame);
      const base = b(frame);
      if (isNullish(value) || isNullish(base)) return null;
      const x = realArgument(value, name, positive("Location28758"));
      const y = realArgument(base, name);
      if (y <= 0 || y === 1)
        throw new MongoFault("Location28759", `$log's base must be a positive number not equal to 1, but is ${y}`);
      return double(Math.log(x) / Math.log(y));
    });
  },
  $pow(argument, scope, name) {
    const [a, b] = operands(name, argument, scope, 2) as [Expr, Expr];
    return fold([a, b], (frame) => power(a(frame), b(frame)));
  },
};
