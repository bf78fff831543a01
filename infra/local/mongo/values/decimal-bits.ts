import { Decimal } from "./decimal.ts";

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
  // The long form cannot hold a coefficient below 10^34, so the standard reads it as zero.
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
