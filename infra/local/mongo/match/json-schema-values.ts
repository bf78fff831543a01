import { valueSet } from "../expressions/sets.ts";
import { failedToParse, MongoFault } from "../foundation/fault.ts";
import { patternOf } from "../regex/regex.ts";
import { compareNumbers } from "../values/compare.ts";
import { remainderDecimals } from "../values/decimal-arithmetic.ts";
import { Doc } from "../values/document.ts";
import { isNumeric, toDecimal, toInteger } from "../values/numbers.ts";
import { numericTypes, typesOf } from "../values/type-names.ts";
import type { Value } from "../values/types.ts";
import { bsonType } from "../values/writer.ts";

export type Check = (value: Value) => boolean;

export type Keyword = (operand: Value, schema: Doc, key: string) => Check | undefined;

const jsonTypes: Record<string, readonly number[]> = {
  object: [3],
  array: [4],
  string: [2],
  boolean: [8],
  null: [10],
  number: numericTypes,
};

function typeCheck(operand: Value, resolve: (item: Value) => readonly number[]): Check {
  const list = Array.isArray(operand) ? operand : [operand];
  if (list.length === 0) throw failedToParse("$jsonSchema type must name at least one type");
  const types = new Set(list.flatMap(resolve));
  return (value) => types.has(bsonType(value));
}

const count = (operand: Value, key: string): number => {
  const number = toInteger(operand);
  if (number === undefined || number < 0)
    throw failedToParse(`$jsonSchema keyword '${key}' must be a non-negative integer`);
  return number;
};

function bound(exclusiveKey: string, passes: (order: number, exclusive: boolean) => boolean): Keyword {
  return (operand, schema, key) => {
    if (!isNumeric(operand)) throw new MongoFault("TypeMismatch", `$jsonSchema keyword '${key}' must be a number`);
    const exclusive = schema.get(exclusiveKey) === true;
    return (value) => !isNumeric(value) || passes(compareNumbers(value, operand), exclusive);
  };
}

const exclusive =
  (partner: string): Keyword =>
  (operand, schema, key) => {
    if (typeof operand !== "boolean")
      throw new MongoFault("TypeMismatch", `$jsonSchema keyword '${key}' must be a boolean`);
    if (!schema.has(partner))
      throw failedToParse(`$jsonSchema keyword '${partner}' must be a present if ${key} is present`);
    return undefined;
  };

const textLength = (value: string): number => [...value].length;

function sized(type: "string" | "array" | "object", passes: (size: number, limit: number) => boolean): Keyword {
  return (operand, _schema, key) => {
    const limit = count(operand, key);
    return (value) => {
      if (type === "string") return typeof value !== "string" || passes(textLength(value), limit);
      if (type === "array") return !Array.isArray(value) || passes(value.length, limit);
      return !(value instanceof Doc) || passes(value.size, limit);
    };
  };
}

const atLeast = (size: number, limit: number): boolean => size >= limit;
const atMost = (size: number, limit: number): boolean => size <= limit;

function stringList(operand: Value, key: string): readonly string[] {
  if (!Array.isArray(operand) || operand.length === 0)
    throw failedToParse(`$jsonSchema keyword '${key}' must be a non-empty array`);
  for (const item of operand)
    if (typeof item !== "string")
      throw new MongoFault("TypeMismatch", `$jsonSchema keyword '${key}' must be an array of strings`);
  return operand as string[];
}

export const required = (operand: Value, _schema: Doc, key: string): Check => {
  const names = stringList(operand, key);
  return (value) => !(value instanceof Doc) || names.every((name) => value.has(name));
};

const ignored: Keyword = () => undefined;

/** Keywords whose operands are plain values. */
export const valueKeywords: Record<string, Keyword> = {
  title: ignored,
  description: ignored,
  bsonType: (operand) => typeCheck(operand, (item) => typesOf(item, () => undefined)),
  type: (operand) =>
    typeCheck(operand, (item) => {
      const types = typeof item === "string" ? jsonTypes[item] : undefined;
      if (types === undefined) throw failedToParse(`$jsonSchema keyword 'type' does not support '${String(item)}'`);
      return types;
    }),
  enum(operand) {
    if (!Array.isArray(operand) || operand.length === 0)
      throw failedToParse("$jsonSchema keyword 'enum' must be a non-empty array");
    const allowed = valueSet(undefined, operand);
    return (value) => allowed.has(value);
  },
  required,
  minProperties: sized("object", atLeast),
  maxProperties: sized("object", atMost),
  minimum: bound("exclusiveMinimum", (order, strict) => (strict ? order > 0 : order >= 0)),
  maximum: bound("exclusiveMaximum", (order, strict) => (strict ? order < 0 : order <= 0)),
  exclusiveMinimum: exclusive("minimum"),
  exclusiveMaximum: exclusive("maximum"),
  multipleOf(operand) {
    if (!isNumeric(operand)) throw new MongoFault("TypeMismatch", "$jsonSchema keyword 'multipleOf' must be a number");
    if (compareNumbers(operand, 0) <= 0)
      throw failedToParse("$jsonSchema keyword 'multipleOf' must have a positive value");
    // Computed in decimals, where 0.3 is a multiple of 0.1. Infinity and NaN are multiples of nothing.
    const divisor = toDecimal(operand);
    return (value) => {
      if (!isNumeric(value)) return true;
      const rest = remainderDecimals(toDecimal(value), divisor);
      return rest.kind === "finite" && rest.coefficient === 0n;
    };
  },
  minLength: sized("string", atLeast),
  maxLength: sized("string", atMost),
  pattern(operand) {
    if (typeof operand !== "string")
      throw new MongoFault("TypeMismatch", "$jsonSchema keyword 'pattern' must be a string");
    const regexp = patternOf(operand, "");
    return (value) => typeof value !== "string" || regexp.test(value);
  },
  additionalItems: ignored,
  minItems: sized("array", atLeast),
  maxItems: sized("array", atMost),
  uniqueItems: (operand) =>
    operand === true
      ? (value) => !Array.isArray(value) || valueSet(undefined, value).values.length === value.length
      : undefined,
};
