import type { Decimal } from "./decimal.ts";
import type { Doc } from "./document.ts";

/**
 * How BSON values are represented. Types that JavaScript would merge stay distinct at little cost:
 *
 * - a `number` that is a 32-bit integer is an Int32; any other `number` (including -0) is a Double;
 * - a Double whose value is a 32-bit integer is boxed as `Double`; build doubles with `double()`;
 * - a `bigint` is an Int64; `undefined` is "missing" and never stored.
 */
export type Value =
  | null
  | boolean
  | number
  | bigint
  | string
  | Doc
  | Value[]
  | Double
  | Decimal
  | ObjectId
  | Binary
  | UtcDate
  | Timestamp
  | Regex
  | Code
  | MinKey
  | MaxKey;

export type Maybe = Value | undefined;

export class Double {
  readonly value: number;
  constructor(value: number) {
    this.value = value;
  }
}

/** Twelve bytes as a latin-1 string. Such strings compare as the bytes do. */
export class ObjectId {
  readonly raw: string;
  constructor(raw: string) {
    this.raw = raw;
  }
}

export class Binary {
  readonly subtype: number;
  readonly bytes: Uint8Array;
  constructor(subtype: number, bytes: Uint8Array) {
    this.subtype = subtype;
    this.bytes = bytes;
  }
}

/**
 * Milliseconds since the epoch. A Date object would cost more and refuse most of the range, which is that of an Int64.
 * `wide` is set where a number is not exact.
 */
export class UtcDate {
  readonly ms: number;
  readonly wide: bigint | undefined;
  constructor(ms: number, wide?: bigint) {
    this.ms = ms;
    this.wide = wide;
  }
}

export function utcDate(ms: bigint): UtcDate {
  const near = Number(ms);
  return Number.isSafeInteger(near) ? new UtcDate(near) : new UtcDate(near, ms);
}

export const millisecondsOf = ({ ms, wide }: UtcDate): bigint => wide ?? BigInt(ms);

/** Seconds in the high 32 bits, an ordinal in the low ones. */
export class Timestamp {
  readonly value: bigint;
  constructor(value: bigint) {
    this.value = value;
  }
}

export class Regex {
  readonly pattern: string;
  readonly flags: string;
  constructor(pattern: string, flags: string) {
    this.pattern = pattern;
    this.flags = flags;
  }
}

/** JavaScript is stored and compared, never run. */
export class Code {
  readonly source: string;
  readonly scope: Doc | undefined;
  constructor(source: string, scope?: Doc) {
    this.source = source;
    this.scope = scope;
  }
}

export class MinKey {
  readonly kind = "min";
}
export class MaxKey {
  readonly kind = "max";
}
export const minKey = new MinKey();
export const maxKey = new MaxKey();

export function isInt32(value: number): boolean {
  return (value | 0) === value && !(value === 0 && 1 / value < 0);
}

/** A Double, whatever its value. */
export function double(value: number): number | Double {
  return isInt32(value) ? new Double(value) : value;
}

export const okReply = new Double(1);
