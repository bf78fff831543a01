import { failedToParse, MongoFault } from "../foundation/fault.ts";
import { patternOf } from "../regex/regex.ts";
import { Doc } from "../values/document.ts";
import type { Maybe, Value } from "../values/types.ts";
import { type Check, type Keyword, required, valueKeywords } from "./json-schema-values.ts";
import type { Matcher } from "./matcher.ts";

/** https://www.mongodb.com/docs/manual/reference/operator/query/jsonSchema/ (draft 4, with bsonType). */
export function jsonSchemaMatcher(schema: Doc): Matcher {
  const check = compileSchema(schema);
  return (doc) => check(doc);
}

function compileSchema(schema: Maybe): Check {
  if (!(schema instanceof Doc)) throw new MongoFault("TypeMismatch", "$jsonSchema keyword must be an object");
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

const schemas = (operand: Value, key: string): Check[] => {
  if (!Array.isArray(operand) || operand.length === 0)
    throw failedToParse(`$jsonSchema keyword '${key}' must be a non-empty array`);
  return operand.map(compileSchema);
};

function named(operand: Value, key: string): [string, Check][] {
  if (!(operand instanceof Doc)) throw new MongoFault("TypeMismatch", `$jsonSchema keyword '${key}' must be an object`);
  return operand.keys.map((name, i) => [name, compileSchema(operand.values[i])]);
}

function additional(operand: Value, schema: Doc): Check | undefined {
  if (operand === true) return undefined;
  const check = operand === false ? () => false : compileSchema(operand);
  const properties = schema.get("properties");
  const patterns = schema.get("patternProperties");
  const known = new Set(properties instanceof Doc ? properties.keys : []);
  const regexps = patterns instanceof Doc ? patterns.keys.map((pattern) => patternOf(pattern, "")) : [];
  return (value) =>
    !(value instanceof Doc) ||
    value.keys.every(
      (name, i) => known.has(name) || regexps.some((regexp) => regexp.test(name)) || check(value.values[i] as Value),
    );
}

const keywords: Record<string, Keyword> = {
  ...valueKeywords,
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
    const checks = named(operand, key).map(([pattern, check]) => ({ regexp: patternOf(pattern, ""), check }));
    return (value) =>
      !(value instanceof Doc) ||
      value.keys.every((name, i) =>
        checks.every(({ regexp, check }) => !regexp.test(name) || check(value.values[i] as Value)),
      );
  },
  additionalProperties: additional,
  dependencies(operand) {
    if (!(operand instanceof Doc))
      throw new MongoFault("TypeMismatch", "$jsonSchema keyword 'dependencies' must be an object");
    const rules = operand.keys.map((name, i) => {
      const rule = operand.values[i] as Value;
      return {
        name,
        check: Array.isArray(rule) ? required(rule, operand, "dependencies") : compileSchema(rule),
      };
    });
    return (value) =>
      !(value instanceof Doc) || rules.every(({ name, check }) => !value.has(name) || check?.(value) !== false);
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
