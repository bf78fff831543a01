import { countWork } from "../foundation/budget.ts";
import { rankOf } from "./compare.ts";
import { compareDecimals, Decimal, digitCount, exactDecimal, power10 } from "./decimal.ts";
import type { Doc } from "./document.ts";
import {
  type Binary,
  type Code,
  Double,
  type Maybe,
  type ObjectId,
  type Regex,
  type Timestamp,
  type UtcDate,
  type Value,
} from "./types.ts";

/**
 * A value as a string. Strings compare by UTF-16 units as the values do, and equal values have equal strings. No
 * encoding is a prefix of another one, so the parts of a compound key are concatenated. It is the key of ordered
 * indexes and of hash tables ($group, $lookup, $addToSet).
 */
export function encodeKey(value: Maybe): string {
  const rank = rankOf(value);
  return String.fromCharCode(rank) + payload(rank, value as Value);
}

const reservedUnits = `[${String.fromCharCode(0, 1, 0xd800)}-${String.fromCharCode(0xffff)}]`;
const reserved = new RegExp(reservedUnits);
const reservedAll = new RegExp(reservedUnits, "g");

/** Orders UTF-16 units like code points, and leaves U+0000 free as the end mark. */
function encodeText(text: string): string {
  if (!reserved.test(text)) return `${text}\0`;
  const moved = text.replace(reservedAll, (unit) => {
    const code = unit.charCodeAt(0);
    if (code === 0) return "\u0001\u0001";
    if (code === 1) return "\u0001\u0002";
    return String.fromCharCode(code < 0xe000 ? code + 0x2000 : code - 0x800);
  });
  return `${moved}\0`;
}

const float = new Float64Array(1);
const words = new Uint16Array(float.buffer);

/** The eight bytes of a double as four units, inverted for negative numbers. */
function encodeDouble(value: number): string {
  float[0] = value === 0 ? 0 : value;
  const [a, b, c, d] = words as unknown as [number, number, number, number];
  return value < 0
    ? String.fromCharCode(d ^ 0xffff, c ^ 0xffff, b ^ 0xffff, a ^ 0xffff)
    : String.fromCharCode(d ^ 0x8000, c, b, a);
}

const small: string[] = [];
for (let i = 0; i < 1024; i++) small.push(`${encodeDouble(i)}\0`);

function encodeNumber(value: number | bigint | Double | Decimal): string {
  if (typeof value === "number") {
    if (value >= 0 && value < 1024 && Number.isInteger(value)) return small[value] as string;
    return Number.isNaN(value) ? "\0" : `${encodeDouble(value)}\0`;
  }
  if (value instanceof Double) return encodeNumber(value.value);
  if (typeof value === "bigint") {
    const near = Number(value);
    if (BigInt(near) === value) return `${encodeDouble(near)}\0`;
    return encodeExactly(exactDecimal(value), near);
  }
  if (value.kind === "nan") return "\0";
  if (value.kind === "infinity") return encodeNumber(value.negative ? -Infinity : Infinity);
  const sign = value.negative ? "-" : "";
  return encodeExactly(value, Number(`${sign}${value.coefficient}e${value.exponent}`));
}

/** The greatest double that is not above the value, followed by the difference. */
function encodeExactly(value: Decimal, near: number): string {
  let floor = near;
  if (compareDecimals(exactDecimal(near), value) > 0) floor = doubleBelow(near);
  if (floor === -Infinity) return `${encodeDouble(floor)}\u0001${encodeMagnitude(belowDoubles(value))}`;
  const base = exactDecimal(floor);
  const exponent = Math.min(base.exponent, value.exponent);
  const units = (d: Decimal): bigint => (d.negative ? -d.coefficient : d.coefficient) * power10(d.exponent - exponent);
  const rest = units(value) - units(base);
  return rest === 0n
    ? `${encodeDouble(floor)}\0`
    : `${encodeDouble(floor)}\u0001${encodeMagnitude(Decimal.finite(false, rest, exponent))}`;
}

/** Decimals below every double are between -Infinity and all others, ordered by their distance from -10^6200. */
function belowDoubles(value: Decimal): Decimal {
  const exponent = Math.min(0, value.exponent);
  return Decimal.finite(
    false,
    power10(6200 - exponent) - value.coefficient * power10(value.exponent - exponent),
    exponent,
  );
}

function encodeMagnitude(value: Decimal): string {
  const text = value.coefficient.toString().replace(/0+$/, "");
  return `${String.fromCharCode(32768 + value.exponent + digitCount(value.coefficient))}${text}\0`;
}

function doubleBelow(value: number): number {
  if (value === Infinity) return Number.MAX_VALUE;
  if (value === 0) return -Number.MIN_VALUE;
  float[0] = value;
  const bits = new BigInt64Array(float.buffer);
  bits[0] = (bits[0] as bigint) + (value > 0 ? -1n : 1n);
  return float[0] as number;
}

function encodeUnits(value: bigint): string {
  const n = BigInt.asUintN(64, value);
  return String.fromCharCode(
    Number(n >> 48n),
    Number((n >> 32n) & 0xffffn),
    Number((n >> 16n) & 0xffffn),
    Number(n & 0xffffn),
  );
}

/** The Int64 with its sign bit inverted, as four units. */
function encodeDate({ ms, wide }: UtcDate): string {
  if (wide !== undefined) return encodeUnits(wide + 2n ** 63n);
  const high = Math.floor(ms / 4294967296);
  const low = ms - high * 4294967296;
  return String.fromCharCode(((high >> 16) & 0xffff) ^ 0x8000, high & 0xffff, low >>> 16, low & 0xffff);
}

function encodeDoc(doc: Doc): string {
  const { keys, values } = doc;
  countWork(keys.length);
  let text = "";
  for (let i = 0; i < keys.length; i++) {
    const rank = rankOf(values[i]);
    text += String.fromCharCode(rank) + encodeText(keys[i] as string) + payload(rank, values[i] as Value);
  }
  return `${text}\0`;
}

function payload(rank: number, value: Value): string {
  switch (rank) {
    case 10:
      return encodeNumber(value as number);
    case 15:
      return encodeText(value as string);
    case 20:
      return encodeDoc(value as Doc);
    case 25: {
      countWork((value as Value[]).length);
      let text = "";
      for (const item of value as Value[]) text += encodeKey(item);
      return `${text}\0`;
    }
    case 30: {
      const { bytes, subtype } = value as Binary;
      const length = String.fromCharCode(bytes.length >>> 16, bytes.length & 0xffff, subtype);
      return length + Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).latin1Slice();
    }
    case 35:
      return (value as ObjectId).raw;
    case 40:
      return value === true ? "\u0001" : "\0";
    case 45:
      return encodeDate(value as UtcDate);
    case 47:
      return encodeUnits((value as Timestamp).value);
    case 50:
      return encodeText((value as Regex).pattern) + encodeText((value as Regex).flags);
    case 60:
      return encodeText((value as Code).source);
    case 65:
      return encodeText((value as Code).source) + encodeDoc((value as Code).scope as Doc);
    default:
      return "";
  }
}

/** Inverts the part of a compound key that is indexed in descending order. */
export function invertKey(key: string): string {
  let text = "";
  for (let i = 0; i < key.length; i++) text += String.fromCharCode(0xffff - key.charCodeAt(i));
  return text;
}
