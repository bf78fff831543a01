import { type ErrorCode, MongoFault } from "../foundation/fault.ts";
import { isNullish, isNumeric, type Numeric, toInteger, toNumber } from "../values/numbers.ts";
import { typeName } from "../values/type-names.ts";
import type { Maybe } from "../values/types.ts";
import { int32 } from "./arrays.ts";
import { fold, type Operator } from "./compile.ts";
import { operands } from "./operands.ts";
import { coerced, counted } from "./string-operands.ts";

interface SubstringCodes {
  readonly start: ErrorCode;
  readonly length: ErrorCode;
}

function substringOperands(name: string, values: readonly Maybe[], codes: SubstringCodes): [string, Numeric, Numeric] {
  const [value, from, count] = values;
  if (!isNumeric(from))
    throw new MongoFault(
      codes.start,
      `${name}: starting index must be a numeric type (is BSON type ${typeName(from)})`,
    );
  if (!isNumeric(count))
    throw new MongoFault(codes.length, `${name}: length must be a numeric type (is BSON type ${typeName(count)})`);
  return [coerced(value, name), from, count];
}

const substrCP: Operator = (argument, scope, name) => {
  const parts = operands(name, argument, scope, 3);
  return fold(parts, (frame) => {
    const values = parts.map((part) => part(frame));
    const [input, from, count] = substringOperands(name, values, { start: "Location34450", length: "Location34452" });
    const tooWide = (code: ErrorCode, what: string) => (): MongoFault =>
      new MongoFault(code, `${name}: ${what} cannot be represented as a 32-bit integral value`);
    const start = int32(from, tooWide("Location34451", "starting index"));
    const length = int32(count, tooWide("Location34453", "length"));
    if (start < 0) throw new MongoFault("Location34455", `${name}: the starting index must be nonnegative integer.`);
    if (length < 0) throw new MongoFault("Location34454", `${name}: length must be a nonnegative integer.`);
    return [...input].slice(start, start + length).join("");
  });
};

const substrBytes: Operator = (argument, scope, name) => {
  const parts = operands(name, argument, scope, 3);
  return fold(parts, (frame) => {
    const values = parts.map((part) => part(frame));
    const [input, from, count] = substringOperands(name, values, { start: "Location16034", length: "Location16035" });
    const start = Math.trunc(toNumber(from));
    const length = Math.trunc(toNumber(count));
    if (start < 0) throw new MongoFault("Location50752", `${name}: the starting index must be nonnegative integer.`);
    const bytes = Buffer.from(input);
    const end = length < 0 ? bytes.length : Math.min(bytes.length, start + length);
    const isInside = (at: number): boolean => at < bytes.length && ((bytes[at] as number) & 0xc0) === 0x80;
    if (isInside(start))
      throw new MongoFault("Location28656", `${name}: Invalid range, starting index is a UTF-8 continuation byte.`);
    if (isInside(end))
      throw new MongoFault(
        "Location28657",
        `${name}: Invalid range, ending index is in the middle of a UTF-8 character.`,
      );
    return start >= bytes.length ? "" : bytes.toString("utf8", start, end);
  });
};

type Search = (input: string, wanted: string, start: number, stop: number | undefined) => number;

function indexOf(codes: readonly [ErrorCode, ErrorCode], search: Search): Operator {
  return (argument, scope, name) => {
    const parts = operands(name, argument, scope, 2, 4);
    return fold(parts, (frame) => {
      const [input, wanted, ...range] = parts.map((part) => part(frame));
      if (isNullish(input)) return null;
      if (typeof input !== "string")
        throw new MongoFault(codes[0], `${name} requires a string as the first argument, found: ${typeName(input)}`);
      if (typeof wanted !== "string")
        throw new MongoFault(codes[1], `${name} requires a string as the second argument, found: ${typeName(wanted)}`);
      counted(input);
      const [start = 0, stop] = range.map((value) => searchBound(name, value));
      return search(input, wanted, start, stop);
    });
  };
}

function searchBound(name: string, value: Maybe): number {
  const number = isNumeric(value) ? toInteger(value) : undefined;
  if (number === undefined)
    throw new MongoFault(
      "Location40096",
      `${name} requires an integral index, found a value of type: ${typeName(value)}`,
    );
  if (number < 0) throw new MongoFault("Location40097", `${name} requires a nonnegative index, found: ${number}`);
  return number;
}

/** A match begins within the range and may end after it. */
function pointIndex(input: string, wanted: string, start: number, stop: number | undefined): number {
  const points = [...input];
  const end = Math.min(points.length, stop ?? points.length);
  if (end < start) return -1;
  if (input === "" && wanted === "") return 0;
  const at = input.indexOf(wanted, points.slice(0, start).join("").length);
  const found = at < 0 ? end : [...input.slice(0, at)].length;
  return found < end ? found : -1;
}

function bytesIndex(input: string, wanted: string, start: number, stop: number | undefined): number {
  const bytes = Buffer.from(input);
  const whole = stop === undefined ? bytes : bytes.subarray(0, stop);
  return start > whole.length ? -1 : whole.indexOf(wanted, start);
}

export const substringOperators: Record<string, Operator> = {
  $substr: substrBytes,
  $substrBytes: substrBytes,
  $substrCP: substrCP,
  $indexOfCP: indexOf(["Location40093", "Location40094"], pointIndex),
  $indexOfBytes: indexOf(["Location40091", "Location40092"], bytesIndex),
};
