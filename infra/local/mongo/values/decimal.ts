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

  /** The coefficient must fit 34 digits; `rounded` takes any. */
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

/** A double as a decimal of 34 digits. */
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

/** Compares by value: 1.0 equals 1.00. NaN is less than everything else and equal to itself. */
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

/** A double as an exact decimal with any number of digits: for comparisons, not for arithmetic. */
export function exactDecimal(value: number | bigint): Decimal {
  if (typeof value === "bigint") return Decimal.finite(value < 0n, value < 0n ? -value : value, 0);
  if (!Number.isFinite(value)) return decimalFromDouble(value);
  if (Number.isInteger(value)) return exactDecimal(BigInt(value));
  let mantissa = Math.abs(value);
  let exponent = 0;
  while (!Number.isInteger(mantissa)) {
    // Doubling is exact: it only increases the binary exponent.
    mantissa *= 2;
    exponent--;
  }
  return Decimal.finite(value < 0, BigInt(mantissa) * 5n ** BigInt(-exponent), exponent);
}

export function parseDecimal(text: string): Decimal | undefined {
  const special = /^([+-]?)(?:(inf|infinity)|(nan))$/i.exec(text);
  if (special !== null)
    return special[3] !== undefined ? Decimal.nan : special[1] === "-" ? Decimal.minusInfinity : Decimal.infinity;
  const match = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,9}))?$/.exec(text);
  if (match === null) return undefined;
  const [, sign, whole = "", fraction = "", exponent = "0"] = match;
  if (whole === "" && fraction === "") return undefined;
  return rounded(sign === "-", BigInt(whole + fraction), Number(exponent) - fraction.length);
}

export function decimalToString(value: Decimal): string {
  const sign = value.negative ? "-" : "";
  if (value.kind === "nan") return "NaN";
  if (value.kind === "infinity") return `${sign}Infinity`;
  const text = value.coefficient.toString();
  const scientific = value.exponent + text.length - 1;
  if (scientific < -6 || value.exponent > 0) {
    const rest = text.length > 1 ? `.${text.slice(1)}` : "";
    return `${sign}${text[0]}${rest}E${scientific >= 0 ? "+" : ""}${scientific}`;
  }
  if (value.exponent === 0) return sign + text;
  const point = text.length + value.exponent;
  if (point > 0) return `${sign}${text.slice(0, point)}.${text.slice(point)}`;
  return `${sign}0.${"0".repeat(-point)}${text}`;
}

export const decimalToNumber = (value: Decimal): number => Number(decimalToString(value));

const bias = 6176;
const maxCoefficient = 10n ** 34n - 1n;
const mask113 = (1n << 113n) - 1n;

function readUint64(buf: Uint8Array, at: number): bigint {
  let value = 0n;
  for (let i = 7; i >= 0; i--) value = (value << 8n) | BigInt(buf[at + i] as number);
  return value;
}

/** IEEE 754-2008 decimal128 in its binary integer encoding, little endian. */
export function readDecimal(buf: Uint8Array, at: number): Decimal {
  const low = readUint64(buf, at);
  const high = readUint64(buf, at + 8);
  const negative = high >> 63n === 1n;
  const combination = Number((high >> 58n) & 31n);
  if (combination === 31) return Decimal.nan;
  if (combination === 30) return negative ? Decimal.minusInfinity : Decimal.infinity;
  // The long form has only coefficients of 10^34 and more, which the standard reads as zero.
  if (combination >= 24) return Decimal.finite(negative, 0n, Number((high >> 47n) & 0x3fffn) - bias);
  const exponent = Number((high >> 49n) & 0x3fffn) - bias;
  const coefficient = ((high << 64n) | low) & mask113;
  return Decimal.finite(negative, coefficient > maxCoefficient ? 0n : coefficient, exponent);
}

export function writeDecimal(buf: Uint8Array, at: number, value: Decimal): void {
  let bits: bigint;
  if (value.kind === "nan") bits = 0x7cn << 120n;
  else if (value.kind === "infinity") bits = 0x78n << 120n;
  else bits = (BigInt(value.exponent + bias) << 113n) | value.coefficient;
  if (value.negative) bits |= 1n << 127n;
  for (let i = 0; i < 16; i++) {
    buf[at + i] = Number(bits & 255n);
    bits >>= 8n;
  }
}
