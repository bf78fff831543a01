import { badValue, failedToParse, MongoFault } from "../foundation/fault.ts";
import { Doc } from "../values/document.ts";
import { isTrue, toInt64, toInteger } from "../values/numbers.ts";
import { typesOf } from "../values/type-names.ts";
import { type Maybe, Regex, type Value } from "../values/types.ts";
import { bsonType } from "../values/writer.ts";
import type { Test } from "./match-path.ts";
import { type FilterContext, type Matcher, negated, onPath } from "./matcher.ts";
import {
  type Bits,
  bitsTest,
  type Comparison,
  comparisonTest,
  equalTest,
  inTest,
  modTest,
  regexTest,
} from "./value-tests.ts";

/** Whether a document is a set of query operators rather than a value to compare with. */
export function isOperatorObject(value: Maybe): value is Doc {
  return (
    value instanceof Doc &&
    value.keys[0]?.startsWith("$") === true &&
    value.keys[0] !== "$ref" &&
    value.keys[0] !== "$id" &&
    value.keys[0] !== "$db"
  );
}

/** Compiles an operator without nested operators: a test of the values at the path. */
export function compileValueOperator(
  parts: readonly string[],
  name: string,
  operand: Value,
  siblings: Doc,
  context: FilterContext,
): Matcher {
  const { order } = context.scope.context;
  const expand = context.flat !== true;
  switch (name) {
    case "$eq":
      return onPath(parts, equalTest(operand, order), expand);
    case "$ne":
      if (operand instanceof Regex) throw badValue("Can't have regex as arg to $ne.");
      return negated(onPath(parts, equalTest(operand, order), expand));
    case "$gt":
    case "$gte":
    case "$lt":
    case "$lte":
      return onPath(parts, comparisonTest(name satisfies Comparison, operand, order), expand);
    case "$in":
      return onPath(parts, inTest(listOperand(name, operand), order), expand);
    case "$nin":
      return negated(onPath(parts, inTest(listOperand(name, operand), order), expand));
    case "$exists":
      return exists(parts, operand);
    case "$type":
      return onPath(parts, typeTest(operand), expand);
    case "$regex":
      return onPath(parts, regexOperand(operand, siblings), expand);
    case "$mod":
      return onPath(parts, modTest(operand), expand);
    case "$size":
      return onPath(parts, sizeTest(operand), false);
    case "$bitsAllSet":
    case "$bitsAllClear":
    case "$bitsAnySet":
    case "$bitsAnyClear":
      return onPath(parts, bitsTest(name satisfies Bits, operand), expand);
    default:
      throw badValue(`unknown operator: ${name}`);
  }
}

function listOperand(name: string, operand: Value): readonly Value[] {
  if (!Array.isArray(operand)) throw badValue(`${name} needs an array`);
  for (const item of operand) if (isOperatorObject(item)) throw badValue(`cannot nest $ under ${name}`);
  return operand;
}

function exists(parts: readonly string[], operand: Value): Matcher {
  const matcher = onPath(parts, (value) => value !== undefined, false);
  return isTrue(operand) ? matcher : negated(matcher);
}

function typeTest(operand: Value): Test {
  const list = Array.isArray(operand) ? operand : [operand];
  if (list.length === 0) throw failedToParse("$type must match at least one type");
  const types = new Set(list.flatMap((item) => typesOf(item, (value) => toInteger(value))));
  return (value) => value !== undefined && types.has(bsonType(value));
}

function regexOperand(operand: Value, siblings: Doc): Test {
  const options = siblings.get("$options");
  if (options !== undefined && typeof options !== "string") throw badValue("$options has to be a string");
  if (operand instanceof Regex) {
    if (options !== undefined && operand.flags !== "")
      throw new MongoFault("Location51075", "options set in both $regex and $options");
    return regexTest(operand.pattern, options ?? operand.flags);
  }
  if (typeof operand !== "string") throw badValue("$regex has to be a string");
  return regexTest(operand, options ?? "");
}

function sizeTest(operand: Value): Test {
  const size = toInt64(operand);
  if (size === undefined) throw failedToParse("Failed to parse $size. Expected an integer");
  if (size < 0n) throw failedToParse("Failed to parse $size. Expected a non-negative number");
  return (value) => Array.isArray(value) && BigInt(value.length) === size;
}
