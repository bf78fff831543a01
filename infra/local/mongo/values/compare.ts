import { countWork } from "../foundation/budget.ts";
import { compareDecimals, Decimal, exactDecimal } from "./decimal.ts";
import { Doc } from "./document.ts";
import { Binary, Code, Double, type Maybe, MinKey, ObjectId, Regex, Timestamp, UtcDate, type Value } from "./types.ts";

/** Compares two strings; without one, strings are compared by their UTF-8 bytes. */
export type StringOrder = (a: string, b: string) => number;

/**
 * The rank of a type in the order of all values. Values of equal rank are compared by value.
 * https://www.mongodb.com/docs/manual/reference/bson-type-comparison-order/
 */
export function rankOf(value: Maybe): number {
  switch (typeof value) {
    case "number":
    case "bigint":
      return 10;
    case "string":
      return 15;
    case "boolean":
      return 40;
    case "undefined":
      return 2;
    default:
  }
  if (value === null) return 5;
  if (value instanceof Doc) return 20;
  if (Array.isArray(value)) return 25;
  if (value instanceof ObjectId) return 35;
  if (value instanceof UtcDate) return 45;
  if (value instanceof Double || value instanceof Decimal) return 10;
  if (value instanceof Binary) return 30;
  if (value instanceof Timestamp) return 47;
  if (value instanceof Regex) return 50;
  if (value instanceof Code) return value.scope === undefined ? 60 : 65;
  return value instanceof MinKey ? 1 : 127;
}

const wide = /[\ud800-\uffff]/;

export function compareStrings(a: string, b: string): number {
  if (a === b) return 0;
  if (wide.test(a) && wide.test(b)) return compareCodePoints(a, b);
  return a < b ? -1 : 1;
}

/** UTF-16 orders surrogates before U+E000…U+FFFF, UTF-8 after. */
function compareCodePoints(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  countWork(length >> 1);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x === y) continue;
    const highX = x >= 0xd800 && x <= 0xdfff;
    const highY = y >= 0xd800 && y <= 0xdfff;
    if (highX !== highY) return highX ? 1 : -1;
    return x < y ? -1 : 1;
  }
  return a.length - b.length;
}

export function compareNumbers(a: Value, b: Value): number {
  const x = a instanceof Double ? a.value : a;
  const y = b instanceof Double ? b.value : b;
  if (x instanceof Decimal || y instanceof Decimal) {
    const left = x instanceof Decimal ? x : exactDecimal(x as number | bigint);
    return compareDecimals(left, y instanceof Decimal ? y : exactDecimal(y as number | bigint));
  }
  const left = x as number | bigint;
  const right = y as number | bigint;
  if (left < right) return -1;
  if (left > right) return 1;
  // NaN is below every number and equal to itself.
  const leftIsNaN = Number.isNaN(left);
  const rightIsNaN = Number.isNaN(right);
  return leftIsNaN === rightIsNaN ? 0 : leftIsNaN ? -1 : 1;
}

function compareDates(a: UtcDate, b: UtcDate): number {
  if (a.ms !== b.ms || a.wide === undefined || b.wide === undefined) return a.ms - b.ms;
  return a.wide < b.wide ? -1 : a.wide > b.wide ? 1 : 0;
}

function compareBytes(a: Binary, b: Binary): number {
  if (a.bytes.length !== b.bytes.length) return a.bytes.length - b.bytes.length;
  if (a.subtype !== b.subtype) return a.subtype - b.subtype;
  return Buffer.compare(a.bytes, b.bytes);
}

function compareDocs(a: Doc, b: Doc, order?: StringOrder): number {
  const { keys: keysA, values: valuesA } = a;
  const { keys: keysB, values: valuesB } = b;
  const length = Math.min(keysA.length, keysB.length);
  countWork(length);
  for (let i = 0; i < length; i++) {
    const rank = rankOf(valuesA[i]) - rankOf(valuesB[i]);
    if (rank !== 0) return rank;
    const name = compareStrings(keysA[i] as string, keysB[i] as string);
    if (name !== 0) return name;
    const value = compare(valuesA[i], valuesB[i], order);
    if (value !== 0) return value;
  }
  return keysA.length - keysB.length;
}

function compareArrays(a: readonly Value[], b: readonly Value[], order?: StringOrder): number {
  const length = Math.min(a.length, b.length);
  countWork(length >> 1);
  for (let i = 0; i < length; i++) {
    const value = compare(a[i], b[i], order);
    if (value !== 0) return value;
  }
  return a.length - b.length;
}

/** The total order of values; missing is below null. */
export function compare(a: Maybe, b: Maybe, order?: StringOrder): number {
  if (typeof a === "number" && typeof b === "number" && a === b) return 0;
  const rankA = rankOf(a);
  const rank = rankA - rankOf(b);
  if (rank !== 0) return rank;
  switch (rankA) {
    case 10:
      return compareNumbers(a as Value, b as Value);
    case 15:
      return order === undefined ? compareStrings(a as string, b as string) : order(a as string, b as string);
    case 20:
      return compareDocs(a as Doc, b as Doc, order);
    case 25:
      return compareArrays(a as Value[], b as Value[], order);
    case 30:
      return compareBytes(a as Binary, b as Binary);
    case 35:
      return compareStrings((a as ObjectId).raw, (b as ObjectId).raw);
    case 40:
      return Number(a) - Number(b);
    case 45:
      return compareDates(a as UtcDate, b as UtcDate);
    case 47: {
      const x = (a as Timestamp).value;
      const y = (b as Timestamp).value;
      return x < y ? -1 : x > y ? 1 : 0;
    }
    case 50:
      return (
        compareStrings((a as Regex).pattern, (b as Regex).pattern) ||
        compareStrings((a as Regex).flags, (b as Regex).flags)
      );
    case 60:
      return compareStrings((a as Code).source, (b as Code).source);
    case 65:
      return (
        compareStrings((a as Code).source, (b as Code).source) ||
        compareDocs((a as Code).scope ?? Doc.empty, (b as Code).scope ?? Doc.empty)
      );
    default:
      return 0;
  }
}

export const equals = (a: Maybe, b: Maybe, order?: StringOrder): boolean =>
  order === undefined && typeof a === "string" && typeof b === "string" ? a === b : compare(a, b, order) === 0;

/** Same type and value at every depth: such an update changes nothing. */
export function identical(a: Maybe, b: Maybe): boolean {
  if (a === b) return typeof a !== "number" || Object.is(a, b);
  if (a instanceof Doc && b instanceof Doc) {
    const { keys, values } = a;
    if (keys.length !== b.keys.length) return false;
    return keys.every((key, i) => key === b.keys[i] && identical(values[i], b.values[i]));
  }
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((item, i) => identical(item, b[i]));
  if (typeof a === "number" && typeof b === "number") return Object.is(a, b);
  if (a instanceof Decimal && b instanceof Decimal) {
    return (
      a.kind === b.kind && a.negative === b.negative && a.coefficient === b.coefficient && a.exponent === b.exponent
    );
  }
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  return a.constructor === b.constructor && compare(a, b) === 0;
}
