import { compile } from "../expressions/compile.ts";
import { countCompiledPart } from "../foundation/budget.ts";
import { badValue, MongoFault, unsupported } from "../foundation/fault.ts";
import { isKnownUnsupported, isSupported } from "../foundation/operators.ts";
import { Doc } from "../values/document.ts";
import { isTrue } from "../values/numbers.ts";
import { splitPath } from "../values/paths.ts";
import { Regex, type Value } from "../values/types.ts";
import { type Condition, conjunction, kindOf } from "./conditions.ts";
import { jsonSchemaMatcher } from "./json-schema.ts";
import { matched, type Test } from "./match-path.ts";
import { type FilterContext, type Matcher, negated, onPath, unpositioned } from "./matcher.ts";
import { compileValueOperator, isOperatorObject } from "./value-operators.ts";
import { equalTest, regexTest } from "./value-tests.ts";

export function compileFilter(filter: Doc, context: FilterContext): Matcher {
  return conjunction(conditionsOf(filter, context));
}

/** The conditions of a filter, including those of a nested $and. */
function conditionsOf(filter: Doc, context: FilterContext): Condition[] {
  countCompiledPart(filter.size);
  return filter.keys.flatMap((key, i) => {
    const value = filter.values[i] as Value;
    if (key === "$and") return listOf(key, value).flatMap((item) => conditionsOf(item, context));
    if (!key.startsWith("$")) return fieldConditions(key, value, context);
    const matches = compileLogical(key, value, context);
    return matches === undefined ? [] : [{ kind: key, path: "", matches }];
  });
}

export function refuseOperator(name: string, otherwise: MongoFault): MongoFault {
  return isKnownUnsupported(name) ? unsupported(name) : otherwise;
}

function listOf(key: string, value: Value): readonly Doc[] {
  if (!Array.isArray(value)) throw badValue(`${key} argument must be an array`);
  if (value.length === 0) throw badValue(`${key} argument must be a non-empty array`);
  for (const item of value) if (!(item instanceof Doc)) throw badValue(`${key} entries need to be full objects`);
  return value as Doc[];
}

/** Branches do not set the positional operator, unless the alternatives are values of one field. */
function compileOr(value: Value, context: FilterContext): Matcher {
  const list = listOf("$or", value);
  const parts = list.map((item) => compileFilter(item, context));
  const [only] = parts;
  if (parts.length === 1 && only !== undefined) return only;
  const matches: Matcher = (doc) => parts.some((part) => part(doc));
  const [first] = list;
  const isOneField = list.every(
    ({ size, keys, values }) =>
      size === 1 && keys[0] === first?.keys[0] && !keys[0]?.startsWith("$") && !isOperatorObject(values[0]),
  );
  return isOneField ? matches : unpositioned(matches);
}

function compileLogical(key: string, value: Value, context: FilterContext): Matcher | undefined {
  if (!isSupported("query", key))
    throw refuseOperator(
      key,
      badValue(
        `unknown top level operator: ${key}. If you have a field name that starts with a '$' symbol, consider using $getField or $setField.`,
      ),
    );
  switch (key) {
    case "$or":
      return compileOr(value, context);
    case "$nor": {
      const parts = listOf(key, value).map((item) => compileFilter(item, context));
      return negated((doc) => parts.some((part) => part(doc)));
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
      if (!(value instanceof Doc)) throw new MongoFault("TypeMismatch", "$jsonSchema must be an object");
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

function fieldConditions(path: string, value: Value, context: FilterContext): Condition[] {
  const parts = splitPath(path);
  const { order } = context.scope.context;
  if (value instanceof Regex)
    return [{ kind: "$regex", path, matches: onPath(parts, regexTest(value.pattern, value.flags), true) }];
  if (isOperatorObject(value)) return compileOperators(path, parts, value, context);
  return [{ kind: "$eq", path, matches: onPath(parts, equalTest(value, order), true) }];
}

function compileOperators(path: string, parts: readonly string[], operators: Doc, context: FilterContext): Condition[] {
  countCompiledPart(operators.size);
  return operators.keys.flatMap((name, i) => {
    const operand = operators.values[i] as Value;
    if (name === "$all") return compileAll(path, parts, operand, context);
    const matches = compileOperator(parts, name, operand, operators, context);
    return matches === undefined ? [] : [{ kind: kindOf(name, operand), path, matches }];
  });
}

function compileOperator(
  parts: readonly string[],
  name: string,
  operand: Value,
  siblings: Doc,
  context: FilterContext,
): Matcher | undefined {
  if (!isSupported("query", name)) throw refuseOperator(name, badValue(`unknown operator: ${name}`));
  switch (name) {
    case "$not":
      return negated(notOperand(parts, operand, context));
    case "$options":
      if (!siblings.has("$regex")) throw badValue("$options needs a $regex");
      return undefined;
    case "$elemMatch":
      return onPath(parts, elemMatchTest(operand, context), false);
    case "$comment":
      return undefined;
    default:
      return compileValueOperator(parts, name, operand, siblings, context);
  }
}

function notOperand(parts: readonly string[], operand: Value, context: FilterContext): Matcher {
  if (operand instanceof Regex) return onPath(parts, regexTest(operand.pattern, operand.flags), context.flat !== true);
  if (!(operand instanceof Doc)) throw badValue("$not needs a regex or a document");
  if (operand.size === 0) throw badValue("$not cannot be empty");
  const first = operand.keys[0];
  if (!isOperatorObject(operand)) throw badValue(`unknown operator: ${first}`);
  return conjunction(compileOperators(parts.join("."), parts, operand, context));
}

function compileAll(path: string, parts: readonly string[], operand: Value, context: FilterContext): Condition[] {
  if (!Array.isArray(operand)) throw badValue("$all needs an array");
  if (operand.length === 0) return [{ kind: "$all", path, matches: () => false }];
  const { order } = context.scope.context;
  const expand = context.flat !== true;
  return operand.map((item) => {
    if (item instanceof Doc && item.keys[0] === "$elemMatch") {
      const test = elemMatchTest(item.values[0] as Value, context);
      return { kind: "$elemMatch", path, matches: onPath(parts, test, false) };
    }
    if (isOperatorObject(item)) throw badValue("no $ expressions in $all");
    if (item instanceof Regex)
      return { kind: "$regex", path, matches: onPath(parts, regexTest(item.pattern, item.flags), expand) };
    return { kind: "$eq", path, matches: onPath(parts, equalTest(item, order), expand) };
  });
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

/** A nested array is matched as the document that BSON encodes it as. */
const arrayAsDoc = (items: readonly Value[]): Doc =>
  Doc.of(
    items.map((_, i) => String(i)),
    [...items],
  );

/** Operators on a value itself rather than on a field of a document. */
function elementMatcher(operators: Doc, context: FilterContext): Test {
  const matcher = conjunction(compileOperators("value", ["value"], operators, { ...context, flat: true }));
  return (value) => matcher(value === undefined ? Doc.empty : Doc.of(["value"], [value]));
}
