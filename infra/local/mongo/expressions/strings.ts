import { countWork } from "../foundation/budget.ts";
import { type ErrorCode, MongoFault } from "../foundation/fault.ts";
import { patternOf } from "../regex/regex.ts";
import type { RegexMatch } from "../regex/search.ts";
import { compareStrings } from "../values/compare.ts";
import { checkSize } from "../values/estimated-size.ts";
import { isNullish } from "../values/numbers.ts";
import { typeName } from "../values/type-names.ts";
import { Regex, type Value } from "../values/types.ts";
import { compile, type Expr, fold, type Operator } from "./compile.ts";
import { namedArguments, operands, unary } from "./operands.ts";
import { coerced, text } from "./string-operands.ts";

/** Only ASCII letters change, as in MongoDB. */
const upper = (text: string): string => text.replace(/[a-z]+/g, (letters) => letters.toUpperCase());
const lower = (text: string): string => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());

/** What is trimmed by default: https://www.mongodb.com/docs/manual/reference/operator/aggregation/trim/ */
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
        throw new MongoFault("Location50699", `${name} requires its input to be a string, got ${typeName(value)}`);
      if (chars !== undefined && typeof given !== "string")
        throw new MongoFault("Location50700", `${name} requires 'chars' to be a string, got ${typeName(given)}`);
      countWork(value.length >> 1);
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
          (["Location51746", "Location51745", "Location51745"] as const)[i] as ErrorCode,
          `${name} requires that '${["input", "find", "replacement"][i]}' be a string, found: ${typeName(value)}`,
        );
      });
      if (values.some(isNullish)) return null;
      const [input, find, replacement] = values as [string, string | Regex, string];
      countWork(input.length >> 3);
      if (find instanceof Regex)
        return replaced(input, patternOf(find.pattern, find.flags).find(input, everywhere), replacement);
      if (!everywhere) return input.replace(find, () => replacement);
      checkSize(input.length + occurrences(input, find) * (replacement.length - find.length));
      return input.replaceAll(find, () => replacement);
    });
  };
}

function occurrences(input: string, find: string): number {
  if (find === "") return input.length + 1;
  let count = 0;
  for (let at = input.indexOf(find); at >= 0; at = input.indexOf(find, at + find.length)) count++;
  countWork(count);
  return count;
}

function replaced(input: string, found: readonly RegexMatch[], replacement: string): string {
  let result = "";
  let at = 0;
  for (const { start, end } of found) {
    checkSize(result.length + replacement.length);
    result += input.slice(at, start) + replacement;
    at = end;
  }
  return result + input.slice(at);
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
          throw new MongoFault("Location16702", `$concat only supports strings, not ${typeName(value)}`);
        else {
          countWork(value.length >> 6);
          checkSize(result.length + value.length);
          result += value;
        }
      }
      return empty ? null : result;
    });
  },
  $toUpper: unary((value, name) => upper(coerced(value, name))),
  $toLower: unary((value, name) => lower(coerced(value, name))),
  $strLenCP: unary((value, name) => [...text(value, name, "Location34471")].length),
  $strLenBytes: unary((value, name) => Buffer.byteLength(text(value, name, "Location34473"))),
  $trim: trimming(true, true),
  $ltrim: trimming(true, false),
  $rtrim: trimming(false, true),
  $replaceOne: replacing(false),
  $replaceAll: replacing(true),
  $split(argument, scope, name) {
    const [input, separator] = operands(name, argument, scope, 2) as [Expr, Expr];
    return fold([input, separator], (frame) => {
      const value = input(frame);
      const by = separator(frame);
      if (isNullish(value) || isNullish(by)) return null;
      if (typeof value !== "string")
        throw new MongoFault(
          "Location40085",
          `$split requires an expression that evaluates to a string as a first argument, found: ${typeName(value)}`,
        );
      if (typeof by !== "string")
        throw new MongoFault(
          "Location40086",
          `$split requires an expression that evaluates to a string as a second argument, found: ${typeName(by)}`,
        );
      if (by === "") throw new MongoFault("Location40087", "$split requires a non-empty separator");
      countWork(value.length >> 1);
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
