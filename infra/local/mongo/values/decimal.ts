/** Decimal128: 34 digits, exponent -6176…6111. Exact, on BigInt. */
export class Decimal {
  readonly kind: "finite" | "infinity" | "nan";
  readonly negative: boolean;
  readonly coefficient: bigint;
  readonly exponent: number;

  private constructor(kind: "finite" | "infinity" | "nan", negative: boolean, coefficient: bigint, exponent: number) {
    this.kind = kind;
    this.negative = negative;
    this.coefficient = coefficient;
    this.exponent = exponent;
  }

  static readonly nan = new Decimal("nan", false, 0n, 0);
  static readonly infinity = new Decimal("infinity", false, 0n, 0);
  static readonly minusInfinity = new Decimal("infinity", true, 0n, 0);
  static readonly zero = new Decimal("finite", false, 0n, 0);

  /** The coefficient must already fit; see `rounded` for one that may not. */
  static finite(negative: boolean, coefficient: bigint, exponent: number): Decimal {
    return new Decimal("finite", negative, coefficient, exponent);
  }
}

export const digits = 34;
const limit = 10n ** 34n;
export const minExponent = -6176;
const maxExponent = 6111;

const powers: bigint[] = [1n];
export function power10(n: number): bigint {
  if (n > 400) return 10n ** BigInt(n);
  for (let i = powers.length; i <= n; i++) powers.push((powers[i - 1] as bigint) * 10n);
  return powers[n] as bigint;
}

export function digitCount(value: bigint): number {
  return value === 0n ? 1 : value.toString().length;
}

/** Divides by 10^n, half to even; `sticky` says that a remainder was already dropped. */
export function shiftRight(value: bigint, n: number, sticky = false): bigint {
  const divisor = power10(n);
  const quotient = value / divisor;
  const twice = (value % divisor) * 2n;
  if (twice > divisor || (twice === divisor && (sticky || quotient % 2n === 1n))) return quotient + 1n;
  return quotient;
}

/** Fits any coefficient and exponent into the format, half to even. */
export function rounded(negative: boolean, coefficient: bigint, exponent: number, sticky = false): Decimal {
  let value = coefficient;
  let exp = exponent;
  const drop = Math.max(value >= limit ? digitCount(value) - digits : 0, minExponent - exp);
  if (drop > 0) {
    value = drop > digitCount(value) + 1 ? 0n : shiftRight(value, drop, sticky);
    exp += drop;
    if (value >= limit) {
      value /= 10n;
      exp++;
    }
  }
  if (value === 0n) return Decimal.finite(negative, 0n, Math.min(Math.max(exp, minExponent), maxExponent));
  if (exp > maxExponent) {
    const pad = exp - maxExponent;
    if (digitCount(value) + pad > digits) return negative ? Decimal.minusInfinity : Decimal.infinity;
    return Decimal.finite(negative, value * power10(pad), maxExponent);
  }
  return Decimal.finite(negative, value, exp);
}

export function decimalFromBigInt(value: bigint): Decimal {
  return value < 0n ? rounded(true, -value, 0) : rounded(false, value, 0);
}

/** As the server converts a double: to 15 significant digits. */
export function decimalFromDouble(value: number): Decimal {
  if (Number.isNaN(value)) return Decimal.nan;
  if (!Number.isFinite(value)) return value < 0 ? Decimal.minusInfinity : Decimal.infinity;
  if (value === 0) return Decimal.finite(Object.is(value, -0), 0n, 0);
  if (Number.isSafeInteger(value) && Math.abs(value) < 1e15) return decimalFromBigInt(BigInt(value));
  const [mantissa = "0", exponent = "0"] = Math.abs(value).toExponential(14).split("e");
  return rounded(value < 0, BigInt(mantissa.replace(".", "")), Number(exponent) - 14);
}

/** A double as a decimal with all 34 digits that there are. */
export function preciseDecimal(value: number): Decimal {
  const exact = exactDecimal(value);
  return exact.kind === "finite" ? rounded(exact.negative, exact.coefficient, exact.exponent) : exact;
}

/** The integer part, toward zero. Only for finite values. */
export function decimalToBigInt(value: Decimal): bigint {
  const magnitude =
    value.exponent >= 0 ? value.coefficient * power10(value.exponent) : value.coefficient / power10(-value.exponent);
  return value.negative ? -magnitude : magnitude;
}

/** -Infinity, negative, zero, positive, Infinity. */
function signRank(value: Decimal): number {
  const size = value.kind === "infinity" ? 2 : value.coefficient === 0n ? 0 : 1;
  return value.negative ? -size : size;
}

/** By value: 1.0 equals 1.00, and NaN is below everything and equal to itself. */
export function compareDecimals(a: Decimal, b: Decimal): number {
  if (a.kind === "nan" || b.kind === "nan") return Number(b.kind === "nan") - Number(a.kind === "nan");
  const rank = signRank(a);
  const rankDifference = rank - signRank(b);
  if (rankDifference !== 0) return Math.sign(rankDifference);
  if (Math.abs(rank) !== 1) return 0;
  const magnitude = digitCount(a.coefficient) + a.exponent - digitCount(b.coefficient) - b.exponent;
  if (magnitude !== 0) return Math.sign(magnitude) * rank;
  const exponent = Math.min(a.exponent, b.exponent);
  const left = a.coefficient * power10(a.exponent - exponent);
  const right = b.coefficient * power10(b.exponent - exponent);
  return left === right ? 0 : left > right ? rank : -rank;
}

/** A double as an exact decimal, with as many digits as that takes: for comparing, not for arithmetic. */
export function exactDecimal(value: number | bigint): Decimal {
  if (typeof value === "bigint") return Decimal.finite(value < 0n, value < 0n ? -value : value, 0);
  if (!Number.isFinite(value)) return decimalFromDouble(value);
  if (Number.isInteger(value)) return exactDecimal(BigInt(value));
  let mantissa = Math.abs(value);
  let exponent = 0;
  while (!Number.isInteger(mantissa)) {
    // Doubling is exact: it only moves the binary exponent (a subnormal gains one first).
    mantissa *= 2;
    exponent--;
  }
  return Decimal.finite(value < 0, BigInt(mantissa) * 5n ** BigInt(-exponent), exponent);
}
