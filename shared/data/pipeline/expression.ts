import { dataOf, extendedValue, isExtended } from "./data.ts";
import { checkPath, readPath, sortOrder } from "./fields.ts";
import type { JsonPath } from "./json.ts";
import { isObject, isOperatorName, type JsonObject, mapObject, operatorNames } from "./json.ts";
import { namedArgumentsOf } from "./named-arguments.ts";
import { isAllowed, type Vocabulary } from "./vocabulary.ts";
import { refuse, refuseOperator, refuseStructure, type Scope, withVariables } from "./walk.ts";

/** Operators that only compute a value from their operands. */
const total = new Set(
  "$eq $ne $gt $gte $lt $lte $cmp $and $or $not $ifNull $cond $literal $expr $type $isArray $isNumber".split(" "),
);

const VARIABLE = /^[a-z\u0080-\uffff][\w\u0080-\uffff]*$/;

/**
 * Checks an expression and converts its extended JSON. Every operator at any depth must be allowed, and every `$path`
 * and `$$variable` is recorded or known. Issues name the operator and the path.
 */
export const expression = (value: unknown, jsonPath: JsonPath, scope: Scope): unknown => {
  if (typeof value === "string") return value.startsWith("$") ? reference(value, jsonPath, scope) : value;
  if (Array.isArray(value)) return value.map((item, index) => expression(item, [...jsonPath, index], scope));
  if (!isObject(value)) return value;
  if (isExtended(value)) return extendedValue(value, jsonPath, scope.walk);
  const [name, ...more] = operatorNames(value);
  if (name === undefined) return mapObject(value, (item, key) => expression(item, [...jsonPath, key], scope));
  if (Object.keys(value).length === 1) return { [name]: operation(name, value[name], jsonPath, scope) };
  for (const each of [name, ...more]) {
    if (!isAllowed("expressions", each)) refuseOperator(scope.walk, [...jsonPath, each], "expressions", each);
    else refuseStructure(scope.walk, [...jsonPath, each], "an operator stands alone in its object.");
  }
  return null;
};

const reference = (text: string, jsonPath: JsonPath, scope: Scope): string => {
  if (text.startsWith("$$")) return variable(text, jsonPath, scope);
  const path = text.slice(1);
  return checkPath(path, jsonPath, scope.walk) ? `$${readPath(path, scope)}` : text;
};

const redactVariables = new Set(["DESCEND", "PRUNE", "KEEP"]);

const variable = (text: string, jsonPath: JsonPath, scope: Scope): string => {
  const [name = "", ...path] = text.slice(2).split(".");
  const { uses, variables, walk } = scope;
  if (path.length > 0) checkPath(path.join("."), jsonPath, walk);
  if (name === "ROOT" || name === "CURRENT") {
    if (path[0] === undefined) uses.whole = true;
    else uses.fields.add(path.join("."));
    return text;
  }
  const isKnown =
    variables.has(name) || name === "NOW" || name === "REMOVE" || (scope.redacts && redactVariables.has(name));
  if (!isKnown) {
    const operator = `$$${name.slice(0, 80)}`;
    refuse(walk, jsonPath, "operator_not_allowed", `there is no variable ${operator} here.`, { operator });
  }
  return text;
};

const operation = (name: string, argument: unknown, outer: JsonPath, scope: Scope): unknown => {
  const jsonPath = [...outer, name];
  if (!isAllowed("expressions", name)) {
    refuseOperator(scope.walk, jsonPath, "expressions", name);
    return null;
  }
  return operands(name, argument, jsonPath, scope);
};

/** The operands of an allowed operator or accumulator. */
const operands = (name: string, argument: unknown, jsonPath: JsonPath, scope: Scope): unknown => {
  const { uses, walk } = scope;
  if (!total.has(name)) uses.canFail = true;
  if (name === "$rand") walk.random = true;
  if (name === "$literal") return dataOf(argument, jsonPath, walk);
  const names = namedArgumentsOf(name);
  const isNamed = names !== undefined && isObject(argument) && operatorNames(argument).length === 0;
  if (!isNamed) {
    // `{$getField: "name"}` reads from `$$CURRENT` implicitly.
    if (name === "$getField") uses.whole = true;
    return expression(argument, jsonPath, scope);
  }
  for (const key of Object.keys(argument)) {
    if (!names.has(key)) refuseStructure(walk, [...jsonPath, key], `${name} has no argument of this name.`);
  }
  if (name === "$getField" && argument.input === undefined) uses.whole = true;
  return namedOperands(name, argument, jsonPath, scope);
};

const namedOperands = (name: string, argument: JsonObject, jsonPath: JsonPath, scope: Scope): JsonObject => {
  const bound = bindings(name, argument, jsonPath, scope);
  const inner = bound.names.length === 0 ? scope : withVariables(scope, bound.names);
  return mapObject(argument, (item, key) => {
    const at = [...jsonPath, key];
    if (key === "as" && bound.names.length > 0) return item;
    if (key === "vars" && name === "$let") return bound.values;
    if (key === "sortBy") return isObject(item) ? sortOrder(item, at, scope) : item;
    return expression(item, at, key === "in" || key === "cond" ? inner : scope);
  });
};

/** Variables that an operator defines for its `in` or `cond`. */
const bindings = (
  name: string,
  argument: JsonObject,
  jsonPath: JsonPath,
  scope: Scope,
): { names: string[]; values?: JsonObject } => {
  if (name === "$reduce") return { names: ["this", "value"] };
  if (name === "$let") return variablesOf(argument.vars, [...jsonPath, "vars"], scope);
  if (name !== "$map" && name !== "$filter") return { names: [] };
  const { as = "this" } = argument;
  return checkVariable(as, [...jsonPath, "as"], scope) ? { names: [as] } : { names: ["this"] };
};

const checkVariable = (name: unknown, jsonPath: JsonPath, { walk }: Scope): name is string => {
  const isName = typeof name === "string" && VARIABLE.test(name);
  if (!isName) refuseStructure(walk, jsonPath, "the name of a variable begins with a lower-case letter.");
  return isName;
};

/** `{name: expression, …}` of `$let` and of a `$lookup`'s `let`. */
export const variablesOf = (
  value: unknown,
  jsonPath: JsonPath,
  scope: Scope,
): { names: string[]; values: JsonObject } => {
  if (!isObject(value)) {
    refuseStructure(scope.walk, jsonPath, "expected an object of variables.");
    return { names: [], values: {} };
  }
  const values = mapObject(value, (item, key) => expression(item, [...jsonPath, key], scope));
  return { names: Object.keys(value).filter((name) => checkVariable(name, [...jsonPath, name], scope)), values };
};

/** An accumulator such as `{$sum: …}`. `beside` are keys that may stand next to the operator. */
export const accumulator = (
  kind: Extract<Vocabulary, "accumulators" | "window">,
  value: unknown,
  jsonPath: JsonPath,
  scope: Scope,
  beside: readonly string[] = [],
): Record<string, unknown> => {
  const { walk, uses } = scope;
  const keys = isObject(value) ? Object.keys(value).filter((key) => !beside.includes(key)) : [];
  for (const key of keys) {
    if (!isOperatorName(key)) refuseStructure(walk, [...jsonPath, key], "only an accumulator may stand here.");
    else if (!isAllowed(kind, key)) refuseOperator(walk, [...jsonPath, key], kind, key);
  }
  const [name] = keys;
  if (!isObject(value) || name === undefined || keys.length > 1) {
    refuseStructure(walk, jsonPath, "expected one accumulator, such as {$sum: 1}.");
    return {};
  }
  uses.canFail = true;
  return isAllowed(kind, name) ? { [name]: operands(name, value[name], [...jsonPath, name], scope) } : {};
};
