import { compile, type Frame, type Scope } from "../expressions/compile.ts";
import { type Interval, point } from "../index/key-space.ts";
import { isOperatorObject } from "../match/value-operators.ts";
import { rankOf } from "../values/compare.ts";
import { Doc } from "../values/document.ts";
import { arrayIndex, splitPath } from "../values/paths.ts";
import { MaxKey, type Maybe, MinKey, Regex, type Value } from "../values/types.ts";

/** A necessary condition on the values at a path: at least one of their index keys is in one of the intervals. */
export interface Constraint {
  readonly path: string;
  readonly intervals: readonly Interval[];
  /** Exact values, when the intervals are only these. */
  readonly points: readonly Maybe[] | undefined;
}

/** The conditions of a filter on single paths. Others are left to the filter. */
export function constraintsOf(filter: Doc, scope: Scope, frame: Frame): Constraint[] {
  const found: Constraint[] = [];
  collect(filter, "", scope, frame, found);
  return found;
}

function collect(filter: Doc, prefix: string, scope: Scope, frame: Frame, found: Constraint[]): void {
  const { keys, values } = filter;
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i] as string;
    const value = values[i] as Value;
    if (key === "$and" && Array.isArray(value)) {
      for (const clause of value) if (clause instanceof Doc) collect(clause, prefix, scope, frame, found);
    } else if (key === "$expr" && prefix === "") collectExpression(value, scope, frame, found);
    else if (!key.startsWith("$") && (prefix === "" || arrayIndex(splitPath(key)[0] as string) < 0))
      collectField(prefix + key, value, scope, frame, found);
  }
}

const pointsOf = (path: string, points: readonly Maybe[]): Constraint => ({
  path,
  points,
  intervals: points.map(point),
});

/** An index has the elements of an array, not the array itself, so equality with an array is left to the filter. */
const isIndexable = (value: Maybe): boolean => !Array.isArray(value) && !(value instanceof Regex);

function collectField(path: string, value: Value, scope: Scope, frame: Frame, found: Constraint[]): void {
  if (value instanceof Regex) add(found, regexConstraint(path, value.pattern, value.flags, scope));
  else if (isOperatorObject(value)) {
    value.keys.forEach((name, i) => {
      const operand = value.values[i] as Value;
      if (name === "$elemMatch") collectElements(path, operand, scope, frame, found);
      else add(found, operatorConstraint(path, name, operand, value, scope));
    });
  } else if (isIndexable(value)) found.push(pointsOf(path, [value]));
}

function add(found: Constraint[], constraint: Constraint | undefined): void {
  if (constraint !== undefined) found.push(constraint);
}

function operatorConstraint(
  path: string,
  name: string,
  operand: Value,
  siblings: Doc,
  scope: Scope,
): Constraint | undefined {
  switch (name) {
    case "$regex": {
      const options = siblings.get("$options");
      const flags = typeof options === "string" ? options : undefined;
      if (typeof operand === "string") return regexConstraint(path, operand, flags ?? "", scope);
      return operand instanceof Regex
        ? regexConstraint(path, operand.pattern, flags ?? operand.flags, scope)
        : undefined;
    }
    case "$all": {
      const first = Array.isArray(operand) ? operand[0] : undefined;
      return first !== undefined && isIndexable(first) && !isOperatorObject(first)
        ? pointsOf(path, [first])
        : undefined;
    }
    default:
      return comparisonConstraint(path, name, operand);
  }
}

/** Operators that compare a value. They also apply to array elements in $elemMatch. */
function comparisonConstraint(path: string, name: string, operand: Value): Constraint | undefined {
  switch (name) {
    case "$eq":
      return isIndexable(operand) ? pointsOf(path, [operand]) : undefined;
    case "$in":
      return Array.isArray(operand) && operand.every(isIndexable) ? pointsOf(path, operand) : undefined;
    case "$gt":
    case "$gte":
    case "$lt":
    case "$lte":
      return rangeConstraint(path, name, operand);
    default:
      return undefined;
  }
}

function collectElements(path: string, operand: Value, scope: Scope, frame: Frame, found: Constraint[]): void {
  if (!(operand instanceof Doc)) return;
  if (!isOperatorObject(operand)) collect(operand, `${path}.`, scope, frame, found);
  else operand.keys.forEach((name, i) => void add(found, comparisonConstraint(path, name, operand.values[i] as Value)));
}

function rangeConstraint(path: string, operator: string, value: Value): Constraint | undefined {
  if (value instanceof MinKey || value instanceof MaxKey || Array.isArray(value) || value instanceof Doc)
    return undefined;
  if (value === null) return pointsOf(path, [null]);
  const type = { at: "type", rank: rankOf(value) } as const;
  const edge = { at: "value", value, inclusive: operator.endsWith("e") } as const;
  const interval: Interval = operator.startsWith("$g") ? { low: edge, high: type } : { low: type, high: edge };
  return { path, intervals: [interval], points: undefined };
}

/** "^abc" reads only the strings with this prefix. */
function regexConstraint(path: string, pattern: string, flags: string, scope: Scope): Constraint | undefined {
  if (flags !== "" || scope.context.order !== undefined || pattern.includes("|")) return undefined;
  const prefix = /^\^([\w @:/-]+)/.exec(pattern)?.[1];
  if (prefix === undefined) return undefined;
  const next = pattern[prefix.length + 1];
  const sure = next !== undefined && "*?{".includes(next) ? prefix.slice(0, -1) : prefix;
  if (sure === "") return undefined;
  const above = sure.slice(0, -1) + String.fromCharCode(sure.charCodeAt(sure.length - 1) + 1);
  const strings: Interval = {
    low: { at: "value", value: sure, inclusive: true },
    high: { at: "value", value: above, inclusive: false },
  };
  const regexes: Interval = { low: { at: "type", rank: 50 }, high: { at: "type", rank: 50 } };
  return { path, intervals: [strings, regexes], points: undefined };
}

/** {$expr: {$eq: ["$path", value]}}, alone or inside $and, as in correlated lookups. */
function collectExpression(value: Value, scope: Scope, frame: Frame, found: Constraint[]): void {
  if (!(value instanceof Doc) || value.size !== 1) return;
  const operand = value.values[0] as Value;
  if (value.keys[0] === "$and" && Array.isArray(operand)) {
    for (const item of operand) collectExpression(item, scope, frame, found);
    return;
  }
  if (!Array.isArray(operand) || operand.length !== 2) return;
  const [left, right] = operand as [Value, Value];
  if (value.keys[0] === "$eq") {
    equalExpression(left, right, scope, frame, found);
    equalExpression(right, left, scope, frame, found);
  } else if (value.keys[0] === "$in" && isPath(left)) {
    const list = fixedValue(right, scope, frame);
    if (Array.isArray(list) && list.every(isIndexable)) found.push(pointsOf(left.slice(1), list));
  }
}

const isPath = (value: Value): value is string =>
  typeof value === "string" && value.startsWith("$") && !value.startsWith("$$");

function equalExpression(path: Value, other: Value, scope: Scope, frame: Frame, found: Constraint[]): void {
  if (!isPath(path)) return;
  const value = fixedValue(other, scope, frame);
  // A dotted path over an array is an array, so equality with an array cannot be looked up by element.
  if (value === undefined || !isIndexable(value)) return;
  found.push(pointsOf(path.slice(1), [value]));
}

/** The value of an operand that does not depend on the document: a constant, or a variable of `let`. */
function fixedValue(operand: Value, scope: Scope, frame: Frame): Maybe {
  if (typeof operand === "string" && operand.startsWith("$$")) {
    const name = operand.slice(2).split(".")[0] as string;
    if (!scope.slots.has(name)) return undefined;
    return compile(operand, scope)(frame);
  }
  if (isPath(operand)) return undefined;
  const expr = compile(operand, scope);
  return expr.isConstant === true ? expr(frame) : undefined;
}
