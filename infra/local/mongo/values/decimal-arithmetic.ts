import { Decimal, digitCount, digits, minExponent, power10, rounded, shiftRight } from "./decimal.ts";

const signed = (value: Decimal): bigint => (value.negative ? -value.coefficient : value.coefficient);

export const negate = (value: Decimal): Decimal =>
  value.kind === "nan"
    ? value
    : value.kind === "infinity"
      ? value.negative
        ? Decimal.infinity
        : Decimal.minusInfinity
      : Decimal.finite(!value.negative, value.coefficient, value.exponent);

export function addDecimals(a: Decimal, b: Decimal): Decimal {
  if (a.kind === "nan" || b.kind === "nan") return Decimal.nan;
  if (a.kind === "infinity") return b.kind === "infinity" && a.negative !== b.negative ? Decimal.nan : a;
  if (b.kind === "infinity") return b;
  const exponent = Math.min(a.exponent, b.exponent);
  const sum = signed(a) * power10(a.exponent - exponent) + signed(b) * power10(b.exponent - exponent);
  if (sum === 0n) return rounded(a.negative && b.negative, 0n, exponent);
  return rounded(sum < 0n, sum < 0n ? -sum : sum, exponent);
}

export function multiplyDecimals(a: Decimal, b: Decimal): Decimal {
  if (a.kind === "nan" || b.kind === "nan") return Decimal.nan;
  const negative = a.negative !== b.negative;
  if (a.kind === "infinity" || b.kind === "infinity") {
    const zero = (a.kind === "finite" && a.coefficient === 0n) || (b.kind === "finite" && b.coefficient === 0n);
    return zero ? Decimal.nan : negative ? Decimal.minusInfinity : Decimal.infinity;
  }
  return rounded(negative, a.coefficient * b.coefficient, a.exponent + b.exponent);
}

/** The caller refuses a zero divisor. */
export function divideDecimals(a: Decimal, b: Decimal): Decimal {
  if (a.kind === "nan" || b.kind === "nan" || (a.kind === "infinity" && b.kind === "infinity")) return Decimal.nan;
  const negative = a.negative !== b.negative;
  if (a.kind === "infinity") return negative ? Decimal.minusInfinity : Decimal.infinity;
  if (b.kind === "infinity") return rounded(negative, 0n, minExponent);
  const ideal = a.exponent - b.exponent;
  if (a.coefficient === 0n) return rounded(negative, 0n, ideal);
  const scale = Math.max(0, digits + 2 + digitCount(b.coefficient) - digitCount(a.coefficient));
  const numerator = a.coefficient * power10(scale);
  let quotient = numerator / b.coefficient;
  let exponent = ideal - scale;
  const sticky = numerator % b.coefficient !== 0n;
  if (!sticky) {
    // An exact quotient takes the exponent nearest to the ideal one.
    while (exponent < ideal && quotient % 10n === 0n) {
      quotient /= 10n;
      exponent++;
    }
  }
  return rounded(negative, quotient, exponent, sticky);
}

/** a - b * trunc(a / b); the sign is that of a. */
export function remainderDecimals(a: Decimal, b: Decimal): Decimal {
  if (a.kind !== "finite" || b.kind === "nan" || (b.coefficient === 0n && b.kind === "finite")) return Decimal.nan;
  if (b.kind === "infinity") return a;
  const exponent = Math.min(a.exponent, b.exponent);
  const rest = (a.coefficient * power10(a.exponent - exponent)) % (b.coefficient * power10(b.exponent - exponent));
  return rounded(a.negative, rest, exponent);
}

/**
 * With exactly `place` digits after the point, or as many as fit 34 digits. A number that has more digits stays as it
 * is.
 */
export function quantized(value: Decimal, place: number, rounding: Rounding): Decimal {
  if (value.kind !== "finite") return value;
  const { negative, coefficient, exponent } = value;
  const finest = coefficient === 0n ? minExponent : exponent + digitCount(coefficient) - digits;
  const target = Math.max(-place, finest, minExponent);
  if (exponent <= target) return roundDecimal(value, -target, rounding);
  return Decimal.finite(negative, coefficient * power10(exponent - target), target);
}

export type Rounding = "halfEven" | "truncate" | "floor" | "ceil";

/** Rounds to `place` digits after the point. */
export function roundDecimal(value: Decimal, place: number, rounding: Rounding): Decimal {
  if (value.kind !== "finite" || value.exponent >= -place) return value;
  const drop = -place - value.exponent;
  let quotient: bigint;
  if (rounding === "halfEven") quotient = shiftRight(value.coefficient, drop);
  else {
    const divisor = power10(drop);
    quotient = value.coefficient / divisor;
    const up = rounding === "ceil" ? !value.negative : rounding === "floor" && value.negative;
    if (up && value.coefficient % divisor !== 0n) quotient += 1n;
  }
  return rounded(value.negative, quotient, -place);
}
