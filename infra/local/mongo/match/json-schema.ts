import { modulo } from "../expressions/arithmetic.ts";
import { valueSet } from "../expressions/sets.ts";
import { failedToParse, MongoFault } from "../fault.ts";
import { compareNumbers } from "../values/compare.ts";
import { Doc } from "../values/document.ts";
import { isNumeric, toInteger } from "../values/numbers.ts";
import { numericTypes, typesOf } from "../values/type-names.ts";
import type { Maybe, Value } from "../values/types.ts";
import { bsonType } from "../values/writer.ts";
import type { Matcher } from "./filter.ts";
import { toRegExp } from "./regex.ts";

type Check = (value: Value) => boolean;

/** https://www.mongodb.com/docs/manual/reference/operator/query/jsonSchema/ (draft 4, with bsonType). */
export function jsonSchemaMatcher(schema: Doc): Matcher {
  const check = compileSchema(schema);
  return (doc) => check(doc);
}

function compileSchema(schema: Maybe): Check {
  if (!(schema instanceof Doc)) throw new MongoFault(14, "$jsonSchema keyword must be an object");
  if (schema.has("type") && schema.has("bsonType"))
    throw failedToParse("Cannot specify both $jsonSchema keywords 'type' and 'bsonType'");
  const checks: Check[] = [];
  schema.keys.forEach((key, i) => {
    const keyword = keywords[key];
    if (keyword === undefined) throw failedToParse(`Unknown $jsonSchema keyword: ${key}`);
    const check = keyword(schema.values[i] as Value, schema, key);
    if (check !== undefined) checks.push(check);
  });
  return (value) => checks.every((check) => check(value));
}

type Keyword = (operand: Value, schema: Doc, key: string) => Check | undefined;

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
    if (!isNumeric(operand)) throw new MongoFault(14, `$jsonSchema keyword '${key}' must be a number`);
    const exclusive = schema.get(exclusiveKey) === true;
    return (value) => !isNumeric(value) || passes(compareNumbers(value, operand), exclusive);
  };
}

const exclusive =
  (partner: string): Keyword =>
  (operand, schema, key) => {
    if (typeof operand !== "boolean") throw new MongoFault(14, `$jsonSchema keyword '${key}' must be a boolean`);
    if (!schema.has(partner))
      throw failedToParse(`$jsonSchema keyword '${partner}' must be a present if ${key} is present`);
    return undefined;
  };

const schemas = (operand: Value, key: string): Check[] => {
  if (!Array.isArray(operand) || operand.length === 0)
    throw failedToParse(`$jsonSchema keyword '${key}' must be a non-empty array`);
  return operand.map(compileSchema);
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

function named(operand: Value, key: string): [string, Check][] {
  if (!(operand instanceof Doc)) throw new MongoFault(14, `$jsonSchema keyword '${key}' must be an object`);
  return operand.keys.map((name, i) => [name, compileSchema(operand.values[i])]);
}

function additional(operand: Value, schema: Doc): Check | undefined {
  if (operand === true) return undefined;
  const check = operand === false ? () => false : compileSchema(operand);
  const properties = schema.get("properties");
  const patterns = schema.get("patternProperties");
  const known = new Set(properties instanceof Doc ? properties.keys : []);
  const regexps = patterns instanceof Doc ? patterns.keys.map((pattern) => toRegExp(pattern, "")) : [];
  return (value) =>
    !(value instanceof Doc) ||
    value.keys.every(
      (name, i) => known.has(name) || regexps.some((regexp) => regexp.test(name)) || check(value.values[i] as Value),
    );
}

function stringList(operand: Value, key: string): readonly string[] {
  if (!Array.isArray(operand) || operand.length === 0)
    throw failedToParse(`$jsonSchema keyword '${key}' must be a non-empty array`);
  for (const item of operand)
    if (typeof item !== "string") throw new MongoFault(14, `$jsonSchema keyword '${key}' must be an array of strings`);
  return operand as string[];
}

const ignored: Keyword = () => undefined;

const keywords: Record<string, Keyword> = {
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
  required(operand, _schema, key) {
    const names = stringList(operand, key);
    return (value) => !(value instanceof Doc) || names.every((name) => value.has(name));
  },
  properties(operand, _schema, key) {
    const checks = named(operand, key);
    return (value) =>
      !(value instanceof Doc) ||
      checks.every(([name, check]) => {
        const item = value.get(name);
        return item === undefined || check(item);
      });
  },
  patternProperties(operand, _schema, key) {
    const checks = named(operand, key).map(([pattern, check]) => ({ regexp: toRegExp(pattern, ""), check }));
    return (value) =>
      !(value instanceof Doc) ||
      value.keys.every((name, i) =>
        checks.every(({ regexp, check }) => !regexp.test(name) || check(value.values[i] as Value)),
      );
  },
  additionalProperties: additional,
  minProperties: sized("object", atLeast),
  maxProperties: sized("object", atMost),
  dependencies(operand) {
    if (!(operand instanceof Doc)) throw new MongoFault(14, "$jsonSchema keyword 'dependencies' must be an object");
    const rules = operand.keys.map((name, i) => {
      const rule = operand.values[i] as Value;
      return {
        name,
        check: Array.isArray(rule) ? keywords.required?.(rule, operand, "dependencies") : compileSchema(rule),
      };
    });
    return (value) =>
      !(value instanceof Doc) || rules.every(({ name, check }) => !value.has(name) || check?.(value) !== false);
  },
  minimum: bound("exclusiveMinimum", (order, strict) => (strict ? order > 0 : order >= 0)),
  maximum: bound("exclusiveMaximum", (order, strict) => (strict ? order < 0 : order <= 0)),
  exclusiveMinimum: exclusive("minimum"),
  exclusiveMaximum: exclusive("maximum"),
  multipleOf(operand) {
    if (!isNumeric(operand) || compareNumbers(operand, 0) <= 0)
      throw failedToParse("$jsonSchema keyword 'multipleOf' must have a positive value");
    return (value) => !isNumeric(value) || compareNumbers(modulo(value, operand) as Value, 0) === 0;
  },
  minLength: sized("string", atLeast),
  maxLength: sized("string", atMost),
  pattern(operand) {
    if (typeof operand !== "string") throw new MongoFault(14, "$jsonSchema keyword 'pattern' must be a string");
    const regexp = toRegExp(operand, "");
    return (value) => typeof value !== "string" || regexp.test(value);
  },
  items(operand, schema) {
    if (!Array.isArray(operand)) {
      const check = compileSchema(operand);
      return (value) => !Array.isArray(value) || value.every(check);
    }
    const checks = operand.map(compileSchema);
    const rest = schema.get("additionalItems");
    const extra: Check = rest === false ? () => false : rest instanceof Doc ? compileSchema(rest) : () => true;
    return (value) => !Array.isArray(value) || value.every((item, i) => (checks[i] ?? extra)(item));
  },
  additionalItems: ignored,
  minItems: sized("array", atLeast),
  maxItems: sized("array", atMost),
  uniqueItems: (operand) =>
    operand === true
      ? (value) => !Array.isArray(value) || valueSet(undefined, value).values.length === value.length
      : undefined,
  allOf(operand, _schema, key) {
    const checks = schemas(operand, key);
    return (value) => checks.every((check) => check(value));
  },
  anyOf(operand, _schema, key) {
    const checks = schemas(operand, key);
    return (value) => checks.some((check) => check(value));
  },
  oneOf(operand, _schema, key) {
    const checks = schemas(operand, key);
    return (value) => checks.filter((check) => check(value)).length === 1;
  },
  not(operand) {
    const check = compileSchema(operand);
    return (value) => !check(value);
  },
};
