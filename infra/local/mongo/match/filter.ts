import { compile, isTrue } from "../expressions/compile.ts";
import { badValue, MongoFault, unsupported } from "../fault.ts";
import { isKnownElsewhere, isListed } from "../operators.ts";
import { Doc } from "../values/document.ts";
import { splitPath } from "../values/paths.ts";
import { Regex, type Value } from "../values/types.ts";
import { jsonSchemaMatcher } from "./json-schema.ts";
import { all, type FilterContext, type Matcher, negated, onPath } from "./matcher.ts";
import { equalTest, regexTest } from "./tests.ts";
import { compileValueOperator, isOperatorObject } from "./value-operators.ts";
import { matched, type Test } from "./walk.ts";

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

function compileField(path: string, value: Value, context: FilterContext): Matcher {
  const parts = splitPath(path);
  const { order } = context.scope.context;
  if (value instanceof Regex) return onPath(parts, regexTest(value.pattern, value.flags), true);
  if (!isOperatorObject(value)) return onPath(parts, equalTest(value, order), true);
  return all(compileOperators(parts, value, context));
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

function compileOperator(
  parts: readonly string[],
  name: string,
  operand: Value,
  siblings: Doc,
  context: FilterContext,
): Matcher | undefined {
  if (!isListed("query", name)) throw refuseOperator(name, badValue(`unknown operator: ${name}`));
  switch (name) {
    case "$not":
      return negated(notOperand(parts, operand, context));
    case "$options":
      if (!siblings.has("$regex")) throw badValue("$options needs a $regex");
      return undefined;
    case "$all":
      return compileAll(parts, operand, context);
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
  return all(compileOperators(parts, operand, context));
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
