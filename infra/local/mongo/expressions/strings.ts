import { MongoFault } from "../fault.ts";
import { toRegExp } from "../match/regex.ts";
import { compareStrings } from "../values/compare.ts";
import { Decimal } from "../values/decimal.ts";
import { isNumeric, type Numeric, toInteger, toNumber } from "../values/numbers.ts";
import { typeName } from "../values/type-names.ts";
import { type Maybe, Regex, Timestamp, UtcDate, type Value } from "../values/types.ts";
import { int32 } from "./arrays.ts";
import { compile, type Expr, fold, isNullish, namedArguments, type Operator, operands } from "./compile.ts";
import { stringOf } from "./conversion.ts";

/** As the server coerces operands of string functions: null is empty, numbers and dates are written out. */
function coerced(value: Maybe, name: string): string {
  if (isNullish(value)) return "";
  if (typeof value === "string") return value;
  if (isNumeric(value) || value instanceof Decimal || value instanceof UtcDate) return stringOf(value);
  if (value instanceof Timestamp)
    throw new MongoFault(16007, `can't convert from BSON type timestamp to String in ${name}`);
  throw new MongoFault(16007, `can't convert from BSON type ${typeName(value)} to String`);
}

/** Only ASCII letters change, as on the server. */
const upper = (text: string): string => text.replace(/[a-z]+/g, (letters) => letters.toUpperCase());
const lower = (text: string): string => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());

function unary(apply: (value: Maybe, name: string) => Maybe): Operator {
  return (argument, scope, name) => {
    const [part] = operands(name, argument, scope, 1) as [Expr];
    return fold([part], (frame) => apply(part(frame), name));
  };
}

function text(value: Maybe, name: string, code: number): string {
  if (typeof value !== "string")
    throw new MongoFault(code, `${name} requires a string argument, found: ${typeName(value)}`);
  return value;
}

/** What the server trims when it is not told: https://www.mongodb.com/docs/manual/reference/operator/aggregation/trim/ */
const whitespace = [..."\0 \t\n\v\f\r\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"];

function trimming(left: boolean, right: boolean): Operator {
  return (argument, scope, name) => {
    const args = namedArguments(name, argument, ["input"], ["chars"]);
    const input = compile(args.get("input") as Value, scope);
    const charsSpec = args.get("chars");
    const chars = charsSpec === undefined ? undefined : compile(charsSpec, scope);
    return fold(chars === undefined ? [input] : [input, chars], (frame) => {
      const value = input(frame);
      const given = chars?.(frame);
      if (isNullish(value) || (chars !== undefined && isNullish(given))) return null;
      if (typeof value !== "string")
        throw new MongoFault(50699, `${name} requires its input to be a string, got ${typeName(value)}`);
      if (chars !== undefined && typeof given !== "string")
        throw new MongoFault(50700, `${name} requires 'chars' to be a string, got ${typeName(given)}`);
      const set = new Set(typeof given === "string" ? [...given] : whitespace);
      const points = [...value];
      let start = 0;
      let end = points.length;
      while (left && start < end && set.has(points[start] as string)) start++;
      while (right && end > start && set.has(points[end - 1] as string)) end--;
      return points.slice(start, end).join("");
    });
  };
}

function replacing(everywhere: boolean): Operator {
  return (argument, scope, name) => {
    const args = namedArguments(name, argument, ["input", "find", "replacement"]);
    const parts = ["input", "find", "replacement"].map((key) => compile(args.get(key) as Value, scope));
    return fold(parts, (frame) => {
      const values = parts.map((part) => part(frame));
      values.forEach((value, i) => {
        if (isNullish(value) || typeof value === "string" || (i === 1 && value instanceof Regex)) return;
        throw new MongoFault(
          51746 - i + (i === 2 ? 1 : 0),
          `${name} requires that '${["input", "find", "replacement"][i]}' be a string, found: ${typeName(value)}`,
        );
      });
      if (values.some(isNullish)) return null;
      const [input, find, replacement] = values as [string, string | Regex, string];
      if (find instanceof Regex)
        return input.replace(toRegExp(find.pattern, find.flags, everywhere ? "g" : ""), () => replacement);
      return everywhere ? input.replaceAll(find, () => replacement) : input.replace(find, () => replacement);
    });
  };
}

interface SubstringCodes {
  readonly start: number;
  readonly length: number;
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
    const [input, from, count] = substringOperands(name, values, { start: 34450, length: 34452 });
    const tooWide = (code: number, what: string) => (): MongoFault =>
      new MongoFault(code, `${name}: ${what} cannot be represented as a 32-bit integral value`);
    const start = int32(from, tooWide(34451, "starting index"));
    const length = int32(count, tooWide(34453, "length"));
    if (start < 0) throw new MongoFault(34455, `${name}: the starting index must be nonnegative integer.`);
    if (length < 0) throw new MongoFault(34454, `${name}: length must be a nonnegative integer.`);
    return [...input].slice(start, start + length).join("");
  });
};

const substrBytes: Operator = (argument, scope, name) => {
  const parts = operands(name, argument, scope, 3);
  return fold(parts, (frame) => {
    const values = parts.map((part) => part(frame));
    const [input, from, count] = substringOperands(name, values, { start: 16034, length: 16035 });
    const start = Math.trunc(toNumber(from));
    const length = Math.trunc(toNumber(count));
    if (start < 0) throw new MongoFault(50752, `${name}: the starting index must be nonnegative integer.`);
    const bytes = Buffer.from(input);
    const end = length < 0 ? bytes.length : Math.min(bytes.length, start + length);
    const isInside = (at: number): boolean => at < bytes.length && ((bytes[at] as number) & 0xc0) === 0x80;
    if (isInside(start))
      throw new MongoFault(28656, `${name}: Invalid range, starting index is a UTF-8 continuation byte.`);
    if (isInside(end))
      throw new MongoFault(28657, `${name}: Invalid range, ending index is in the middle of a UTF-8 character.`);
    return start >= bytes.length ? "" : bytes.toString("utf8", start, end);
  });
};

type Search = (input: string, wanted: string, start: number, stop: number | undefined) => number;

function indexOf(codes: readonly [number, number], search: Search): Operator {
  return (argument, scope, name) => {
    const parts = operands(name, argument, scope, 2, 4);
    return fold(parts, (frame) => {
      const [input, wanted, ...range] = parts.map((part) => part(frame));
      if (isNullish(input)) return null;
      if (typeof input !== "string")
        throw new MongoFault(codes[0], `${name} requires a string as the first argument, found: ${typeName(input)}`);
      if (typeof wanted !== "string")
        throw new MongoFault(codes[1], `${name} requires a string as the second argument, found: ${typeName(wanted)}`);
      const [start = 0, stop] = range.map((value) => searchBound(name, value));
      return search(input, wanted, start, stop);
    });
  };
}

function searchBound(name: string, value: Maybe): number {
  const number = isNumeric(value) ? toInteger(value) : undefined;
  if (number === undefined)
    throw new MongoFault(40096, `${name} requires an integral index, found a value of type: ${typeName(value)}`);
  if (number < 0) throw new MongoFault(40097, `${name} requires a nonnegative index, found: ${number}`);
  return number;
}

function pointIndex(input: string, wanted: string, start: number, stop: number | undefined): number {
  const points = [...input].slice(0, stop);
  if (start > points.length) return -1;
  const rest = points.slice(start).join("");
  const at = rest.indexOf(wanted);
  return at < 0 ? -1 : start + [...rest.slice(0, at)].length;
}

function bytesIndex(input: string, wanted: string, start: number, stop: number | undefined): number {
  const bytes = Buffer.from(input);
  const whole = stop === undefined ? bytes : bytes.subarray(0, stop);
  return start > whole.length ? -1 : whole.indexOf(wanted, start);
}

export const stringOperators: Record<string, Operator> = {
  $concat(argument, scope, name) {
    const parts = operands(name, argument, scope, 0, Infinity);
    return fold(parts, (frame) => {
      let result = "";
      let empty = false;
      for (const part of parts) {
        const value = part(frame);
        if (isNullish(value)) empty = true;
        else if (typeof value !== "string")
          throw new MongoFault(16702, `$concat only supports strings, not ${typeName(value)}`);
        else result += value;
      }
      return empty ? null : result;
    });
  },
  $toUpper: unary((value, name) => upper(coerced(value, name))),
  $toLower: unary((value, name) => lower(coerced(value, name))),
  $strLenCP: unary((value, name) => [...text(value, name, 34471)].length),
  $strLenBytes: unary((value, name) => Buffer.byteLength(text(value, name, 34473))),
  $trim: trimming(true, true),
  $ltrim: trimming(true, false),
  $rtrim: trimming(false, true),
  $replaceOne: replacing(false),
  $replaceAll: replacing(true),
  $substr: substrBytes,
  $substrBytes: substrBytes,
  $substrCP: substrCP,
  $indexOfCP: indexOf([40093, 40094], pointIndex),
  $indexOfBytes: indexOf([40091, 40092], bytesIndex),
  $split(argument, scope, name) {
    const [input, separator] = operands(name, argument, scope, 2) as [Expr, Expr];
    return fold([input, separator], (frame) => {
      const value = input(frame);
      const by = separator(frame);
      if (isNullish(value) || isNullish(by)) return null;
      if (typeof value !== "string")
        throw new MongoFault(
          40085,
          `$split requires an expression that evaluates to a string as a first argument, found: ${typeName(value)}`,
        );
      if (typeof by !== "string")
        throw new MongoFault(
          40086,
          `$split requires an expression that evaluates to a string as a second argument, found: ${typeName(by)}`,
        );
      if (by === "") throw new MongoFault(40087, "$split requires a non-empty separator");
      return value.split(by);
    });
  },
  $strcasecmp(argument, scope, name) {
    const [a, b] = operands(name, argument, scope, 2) as [Expr, Expr];
    return fold([a, b], (frame) =>
      Math.sign(compareStrings(upper(coerced(a(frame), name)), upper(coerced(b(frame), name)))),
    );
  },
};
