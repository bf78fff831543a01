import { dataOf, extendedValue, isExtended, momentOf } from "./data.ts";
import { expression } from "./expression.ts";
import { checkPath, readPath } from "./fields.ts";
import type { JsonPath } from "./json.ts";
import { isObject, isOperatorName, type JsonObject, mapObject } from "./json.ts";
import { isAllowed } from "./vocabulary.ts";
import { refuseOperator, refuseStructure, type Scope } from "./walk.ts";

/** Operators at the position of a field name. All others belong to a field. */
const logical = new Set(["$and", "$or", "$nor"]);
const wholeDocument = new Set(["$expr", "$jsonSchema", "$alwaysTrue", "$alwaysFalse"]);

/** Operators of a field whose operand is a value or a list of values. */
const lists = new Set(["$in", "$nin", "$all"]);
const comparisons = new Set(["$eq", "$ne", "$gt", "$gte", "$lt", "$lte"]);

/**
 * Checks the filter of `$match` and `restrictSearchWithMatch`. Inside `$elemMatch` field names are those of the
 * elements.
 */
export const filter = (value: unknown, jsonPath: JsonPath, scope: Scope, inElement = false): JsonObject => {
  if (!isObject(value)) {
    refuseStructure(scope.walk, jsonPath, "expected an object of conditions.");
    return {};
  }
  const parts = Object.entries(value).map(([key, item]): [string, unknown] => {
    const at = [...jsonPath, key];
    if (isOperatorName(key)) return [key, condition(key, item, at, scope, inElement)];
    // MongoDB accepts an empty field name here.
    if (key !== "" && !checkPath(key, at, scope.walk)) return [key, null];
    if (inElement) return [key, fieldTest(item, at, scope, false)];
    const path = readPath(key, scope);
    return [path, fieldTest(item, at, scope, scope.stored?.moments.has(path) === true)];
  });
  const seen = new Set(parts.map(([key]) => key));
  // `_id` and `id` become one key, so both conditions go under `$and`.
  if (seen.size < parts.length) return { $and: parts.map((part) => Object.fromEntries([part])) };
  return Object.fromEntries(parts);
};

const condition = (name: string, value: unknown, jsonPath: JsonPath, scope: Scope, inElement: boolean): unknown => {
  const { uses, walk } = scope;
  if (name === "$comment") return typeof value === "string" ? value : "";
  const isKnown = isAllowed("query", name) && (logical.has(name) || (wholeDocument.has(name) && !inElement));
  if (!isKnown) {
    refuseOperator(walk, jsonPath, "query", name);
    return null;
  }
  if (name === "$expr") return expression(value, jsonPath, scope);
  if (!logical.has(name)) {
    if (name === "$jsonSchema") uses.whole = true;
    return dataOf(value, jsonPath, walk);
  }
  if (Array.isArray(value) && value.length > 0) {
    return value.map((item, index) => filter(item, [...jsonPath, index], scope, inElement));
  }
  refuseStructure(walk, jsonPath, `${name} needs a list of conditions.`);
  return [];
};

const isOperators = (value: unknown): value is JsonObject =>
  isObject(value) && !isExtended(value) && isOperatorName(Object.keys(value)[0] ?? "");

/**
 * A value for equality, or an object of operators. `isMoment`: the field holds dates, so ISO text is converted to a
 * date.
 */
const fieldTest = (value: unknown, jsonPath: JsonPath, scope: Scope, isMoment: boolean): unknown => {
  if (!isOperators(value)) return operand(value, jsonPath, scope, isMoment);
  return mapObject(value, (item, key) => fieldOperator(key, item, [...jsonPath, key], scope, isMoment));
};

const operand = (value: unknown, jsonPath: JsonPath, { walk }: Scope, isMoment: boolean): unknown => {
  if (isMoment && typeof value === "string") return momentOf(value) ?? value;
  return dataOf(value, jsonPath, walk);
};

const fieldOperator = (name: string, value: unknown, jsonPath: JsonPath, scope: Scope, isMoment: boolean): unknown => {
  const { walk } = scope;
  if (!isAllowed("query", name) || logical.has(name) || wholeDocument.has(name)) {
    refuseOperator(walk, jsonPath, "query", name);
    return null;
  }
  if (name === "$not") return negated(value, jsonPath, scope, isMoment);
  if (name === "$elemMatch") return elementTest(value, jsonPath, scope);
  if (comparisons.has(name)) return operand(value, jsonPath, scope, isMoment);
  if (!lists.has(name)) return dataOf(value, jsonPath, walk);
  if (!Array.isArray(value)) {
    refuseStructure(walk, jsonPath, `${name} needs a list.`);
    return [];
  }
  return value.map((item, index) => listed(name, item, [...jsonPath, index], scope, isMoment));
};

const listed = (name: string, item: unknown, jsonPath: JsonPath, scope: Scope, isMoment: boolean): unknown => {
  if (!isOperators(item)) return operand(item, jsonPath, scope, isMoment);
  const [key = "", ...more] = Object.keys(item);
  if (name === "$all" && key === "$elemMatch" && more.length === 0) {
    return { [key]: elementTest(item[key], [...jsonPath, key], scope) };
  }
  refuseOperator(scope.walk, [...jsonPath, key], "query", key);
  return null;
};

const negated = (value: unknown, jsonPath: JsonPath, scope: Scope, isMoment: boolean): unknown => {
  if (isObject(value) && isExtended(value)) return extendedValue(value, jsonPath, scope.walk);
  if (isOperators(value)) return fieldTest(value, jsonPath, scope, isMoment);
  refuseStructure(scope.walk, jsonPath, "$not needs an object of operators.");
  return {};
};

const elementTest = (value: unknown, jsonPath: JsonPath, scope: Scope): unknown => {
  const [key = ""] = isObject(value) ? Object.keys(value) : [];
  if (isOperators(value) && !logical.has(key)) return fieldTest(value, jsonPath, scope, false);
  return filter(value, jsonPath, scope, true);
};
