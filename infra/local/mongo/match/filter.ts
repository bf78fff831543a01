import { compile, type Frame, isTrue, type Scope } from "../expressions/compile.ts";
import { badValue, failedToParse, MongoFault, unsupported } from "../fault.ts";
import { isKnownElsewhere, isListed } from "../operators.ts";
import { Doc } from "../values/document.ts";
import { toInt64, toInteger } from "../values/numbers.ts";
import { splitPath } from "../values/paths.ts";
import { typesOf } from "../values/type-names.ts";
import { type Maybe, Regex, type Value } from "../values/types.ts";
import { bsonType } from "../values/writer.ts";
import { jsonSchemaMatcher } from "./json-schema.ts";
import {
  type Bits,
  bitsTest,
  type Comparison,
  comparisonTest,
  equalTest,
  inTest,
  modTest,
  regexTest,
} from "./tests.ts";
import { matched, matchPath, type Test } from "./walk.ts";

export type Matcher = (doc: Doc) => boolean;

/** What a filter may refer to besides the document: variables of $expr and the collation. */
export interface FilterContext {
  readonly scope: Scope;
  readonly frame: Frame;
  /** Set while the elements of an array are matched themselves: [[5]] has no element above 4. */
  readonly flat?: boolean;
}

export function compileFilter(filter: Doc, context: FilterContext): Matcher {
  const parts: Matcher[] = [];
  const { keys, values } = filter;
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i] as string;
    const value = values[i] as Value;
    const part = key.startsWith("$") ? compileLogical(key, value, context) : compileField(key, value, context);
    if (part !== undefined) parts.push(part);
  }
  return all(parts);
}

function all(parts: readonly Matcher[]): Matcher {
  const [first, second] = parts;
  if (first === undefined) return () => true;
  if (second === undefined) return first;
  if (parts.length === 2) return (doc) => first(doc) && second(doc);
  return (doc) => {
    for (const part of parts) if (!part(doc)) return false;
    return true;
  };
}

export function refuseOperator(name: string, otherwise: MongoFault): MongoFault {
  return isKnownElsewhere(name) ? unsupported(name) : otherwise;
}

function clauses(key: string, value: Value, context: FilterContext): Matcher[] {
  if (!Array.isArray(value)) throw badValue(`${key} argument must be an array`);
  if (value.length === 0) throw badValue(`${key} argument must be a non-empty array`);
  return value.map((item) => {
    if (!(item instanceof Doc)) throw badValue(`${key} entries need to be full objects`);
    return compileFilter(item, context);
  });
}

function compileLogical(key: string, value: Value, context: FilterContext): Matcher | undefined {
  if (!isListed("query", key))
    throw refuseOperator(
      key,
      badValue(
        `unknown top level operator: ${key}. If you have a field name that starts with a '$' symbol, consider using $getField or $setField.`,
      ),
    );
  switch (key) {
    case "$and":
      return all(clauses(key, value, context));
    case "$or": {
      const parts = clauses(key, value, context);
      return (doc) => parts.some((part) => part(doc));
    }
    case "$nor": {
      const parts = clauses(key, value, context);
      return (doc) => !parts.some((part) => part(doc));
    }
    case "$expr": {
      const expr = compile(value, context.scope);
      const { frame } = context;
      return (doc) => {
        frame[0] = doc;
        return isTrue(expr(frame));
      };
    }
    case "$jsonSchema":
      if (!(value instanceof Doc)) throw new MongoFault(14, "$jsonSchema must be an object");
      return jsonSchemaMatcher(value);
    case "$comment":
      return undefined;
    case "$alwaysTrue":
      return () => true;
    case "$alwaysFalse":
      return () => false;
    default:
      throw badValue(`unknown top level operator: ${key}`);
  }
}

/** Whether an object is a set of query operators rather than a value to be equal to. */
export function isOperatorObject(value: Maybe): value is Doc {
  return (
    value instanceof Doc &&
    value.keys[0]?.startsWith("$") === true &&
    value.keys[0] !== "$ref" &&
    value.keys[0] !== "$id" &&
    value.keys[0] !== "$db"
  );
}

function compileField(path: string, value: Value, context: FilterContext): Matcher {
  const parts = splitPath(path);
  const { order } = context.scope.context;
  if (value instanceof Regex) return onPath(parts, regexTest(value.pattern, value.flags), true);
  if (!isOperatorObject(value)) return onPath(parts, equalTest(value, order), true);
  return all(compileOperators(parts, value, context));
}

function onPath(parts: readonly string[], test: Test, expand: boolean): Matcher {
  if (parts.length === 1) {
    const [name] = parts as [string];
    return (doc) => {
      const value = doc.get(name);
      return Array.isArray(value) ? matchPath(value, parts, 1, test, expand) : test(value);
    };
  }
  return (doc) => matchPath(doc, parts, 0, test, expand);
}

function compileOperators(parts: readonly string[], operators: Doc, context: FilterContext): Matcher[] {
  const matchers: Matcher[] = [];
  operators.keys.forEach((name, i) => {
    const operand = operators.values[i] as Value;
    const matcher = compileOperator(parts, name, operand, operators, context);
    if (matcher !== undefined) matchers.push(matcher);
  });
  return matchers;
}

const negated =
  (matcher: Matcher): Matcher =>
  (doc) => {
    const before = matched.index;
    const result = !matcher(doc);
    matched.index = before;
    return result;
  };

function compileOperator(
  parts: readonly string[],
  name: string,
  operand: Value,
  siblings: Doc,
  context: FilterContext,
): Matcher | undefined {
  if (!isListed("query", name)) throw refuseOperator(name, badValue(`unknown operator: ${name}`));
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
    case "$not":
      return negated(notOperand(parts, operand, context));
    case "$regex":
      return onPath(parts, regexOperand(operand, siblings), expand);
    case "$options":
      if (!siblings.has("$regex")) throw badValue("$options needs a $regex");
      return undefined;
    case "$mod":
      return onPath(parts, modTest(operand), expand);
    case "$size":
      return onPath(parts, sizeTest(operand), false);
    case "$all":
      return compileAll(parts, operand, context);
    case "$elemMatch":
      return onPath(parts, elemMatchTest(operand, context), false);
    case "$bitsAllSet":
    case "$bitsAllClear":
    case "$bitsAnySet":
    case "$bitsAnyClear":
      return onPath(parts, bitsTest(name satisfies Bits, operand), expand);
    case "$comment":
      return undefined;
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

function notOperand(parts: readonly string[], operand: Value, context: FilterContext): Matcher {
  if (operand instanceof Regex) return onPath(parts, regexTest(operand.pattern, operand.flags), context.flat !== true);
  if (!(operand instanceof Doc)) throw badValue("$not needs a regex or a document");
  if (operand.size === 0) throw badValue("$not cannot be empty");
  const first = operand.keys[0];
  if (!isOperatorObject(operand)) throw badValue(`unknown operator: ${first}`);
  return all(compileOperators(parts, operand, context));
}

function regexOperand(operand: Value, siblings: Doc): Test {
  const options = siblings.get("$options");
  if (options !== undefined && typeof options !== "string") throw badValue("$options has to be a string");
  if (operand instanceof Regex) {
    if (options !== undefined && operand.flags !== "")
      throw new MongoFault(51075, "options set in both $regex and $options");
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

function compileAll(parts: readonly string[], operand: Value, context: FilterContext): Matcher {
  if (!Array.isArray(operand)) throw badValue("$all needs an array");
  if (operand.length === 0) return () => false;
  const { order } = context.scope.context;
  return all(
    operand.map((item) => {
      if (item instanceof Doc && item.keys[0] === "$elemMatch")
        return onPath(parts, elemMatchTest(item.values[0] as Value, context), false);
      if (isOperatorObject(item)) throw badValue("no $ expressions in $all");
      if (item instanceof Regex) return onPath(parts, regexTest(item.pattern, item.flags), context.flat !== true);
      return onPath(parts, equalTest(item, order), context.flat !== true);
    }),
  );
}

const logicalInElement = new Set(["$and", "$or", "$nor"]);

export function elemMatchTest(operand: Value, context: FilterContext): Test {
  if (!(operand instanceof Doc)) throw badValue("$elemMatch needs an Object");
  const first = operand.keys[0];
  const onValues = isOperatorObject(operand) && first !== undefined && !logicalInElement.has(first);
  if (operand.has("$expr")) throw badValue("$expr can only be applied to the top-level document");
  const matcher = onValues ? elementMatcher(operand, context) : compileFilter(operand, context);
  return (value) => {
    if (!Array.isArray(value)) return false;
    for (let k = 0; k < value.length; k++) {
      const item = value[k];
      const passes = onValues
        ? (matcher as Test)(item)
        : item instanceof Doc
          ? (matcher as Matcher)(item)
          : Array.isArray(item) && (matcher as Matcher)(arrayAsDoc(item));
      if (passes) {
        matched.index = k;
        return true;
      }
    }
    return false;
  };
}

/** A nested array is matched like the document that BSON makes of it. */
const arrayAsDoc = (items: readonly Value[]): Doc =>
  Doc.of(
    items.map((_, i) => String(i)),
    [...items],
  );

/** Operators applied to a value itself rather than to a field of a document. */
export function elementMatcher(operators: Doc, context: FilterContext): Test {
  const matcher = all(compileOperators(["value"], operators, { ...context, flat: true }));
  return (value) => matcher(value === undefined ? Doc.empty : Doc.of(["value"], [value]));
}
