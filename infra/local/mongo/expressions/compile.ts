import { countCompiledPart } from "../foundation/budget.ts";
import { MongoFault, unsupported } from "../foundation/fault.ts";
import { isKnownUnsupported, isSupported } from "../foundation/operators.ts";
import type { StringOrder } from "../values/compare.ts";
import { Doc } from "../values/document.ts";
import { checkParts, readPath } from "../values/paths.ts";
import type { Maybe, UtcDate, Value } from "../values/types.ts";

/** The values of variables while an expression runs. Slot 0 is the document ($$ROOT). */
export type Frame = Maybe[];

/** A compiled expression. `isConstant`: it has the same value for every document. */
export interface Expr {
  (frame: Frame): Maybe;
  isConstant?: boolean;
}

export interface Context {
  readonly now: UtcDate;
  readonly order: StringOrder | undefined;
}

/** The visible variables and their slots. Every binding has a slot of its own, so frames can be reused. */
export interface Scope {
  readonly context: Context;
  readonly slots: ReadonlyMap<string, number>;
  readonly size: { next: number };
}

export type Operator = (argument: Value, scope: Scope, name: string) => Expr;

const operators = new Map<string, Operator>();

/** Operators compile their operands with this file, so they are registered rather than imported (see registry.ts). */
export function registerOperators(group: Readonly<Record<string, Operator>>): void {
  for (const name in group) operators.set(name, group[name] as Operator);
}

export const operatorNames = (): string[] => [...operators.keys()];

export const newScope = (context: Context): Scope => ({ context, slots: new Map(), size: { next: 1 } });

export function bind(scope: Scope, names: readonly string[]): { scope: Scope; slots: number[] } {
  const slots = names.map(() => scope.size.next++);
  const merged = new Map(scope.slots);
  names.forEach((name, i) => {
    checkVariable(name);
    merged.set(name, slots[i] as number);
  });
  return { scope: { ...scope, slots: merged }, slots };
}

function checkVariable(name: string): void {
  if (!/^[a-z\u0080-\uffff][\w\u0080-\uffff]*$/.test(name)) {
    throw new MongoFault("Location16867", `'${name}' starts with an invalid character for a user variable name`);
  }
}

export function constant(value: Maybe): Expr {
  const expr: Expr = () => value;
  expr.isConstant = true;
  return expr;
}

/** Folds an expression of constants to its value. Its errors are raised at compile time. */
export function fold(parts: readonly Expr[], expr: Expr): Expr {
  return parts.every((part) => part.isConstant === true) ? constant(expr([])) : expr;
}

export function compile(value: Value, scope: Scope): Expr {
  countCompiledPart();
  if (typeof value === "string") return value.startsWith("$") ? compilePath(value, scope) : constant(value);
  if (Array.isArray(value)) {
    const items = value.map((item) => compile(item, scope));
    return fold(items, (frame) => items.map((item) => item(frame) ?? null));
  }
  if (!(value instanceof Doc)) return constant(value);
  const first = value.keys[0];
  if (first?.startsWith("$")) return compileOperator(value, first, scope);
  return compileObject(value, scope);
}

function compileObject(value: Doc, scope: Scope): Expr {
  for (const key of value.keys) {
    if (key.startsWith("$"))
      throw new MongoFault("Location16410", `FieldPath field names may not start with '$': ${key}`);
    if (key.includes(".")) throw new MongoFault("Location16412", `FieldPath field names may not contain '.': ${key}`);
  }
  const fields = value.values.map((item) => compile(item, scope));
  const names = value.keys as string[];
  return fold(fields, (frame) => {
    // Documents without a missing field share one list of names.
    let keys = names;
    const values: Value[] = [];
    for (let i = 0; i < fields.length; i++) {
      const item = (fields[i] as Expr)(frame);
      if (item === undefined) {
        if (keys === names) keys = names.slice(0, i);
        continue;
      }
      if (keys !== names) keys.push(names[i] as string);
      values.push(item);
    }
    return Doc.of(keys, values);
  });
}

function compileOperator(value: Doc, name: string, scope: Scope): Expr {
  if (value.size !== 1) {
    throw new MongoFault("Location15983", "An object representing an expression must have exactly one field");
  }
  return operatorNamed(name)(value.values[0] as Value, scope, name);
}

function operatorNamed(name: string): Operator {
  const operator = operators.get(name);
  if (operator !== undefined && isSupported("expressions", name)) return operator;
  if (isKnownUnsupported(name)) throw unsupported(name);
  throw new MongoFault("InvalidPipelineOperator", `Unrecognized expression '${name}'`);
}

function compilePath(text: string, scope: Scope): Expr {
  if (text.startsWith("$$")) return compileVariable(text.slice(2), scope);
  const parts = fieldPath(text.slice(1));
  const [first] = parts as [string];
  if (parts.length === 1) {
    return (frame) => {
      const root = frame[0];
      return root instanceof Doc ? root.get(first) : readPath(root, parts);
    };
  }
  return (frame) => readPath(frame[0], parts);
}

export function fieldPath(path: string): readonly string[] {
  const parts = path.split(".");
  checkParts(path, parts);
  for (const part of parts) {
    if (part === "")
      throw new MongoFault(
        path === "" ? "Location16872" : "Location15998",
        "FieldPath field names may not be empty strings.",
      );
    if (part.startsWith("$"))
      throw new MongoFault(
        "Location16410",
        `FieldPath field names may not start with '$'. Consider using $getField or $setField`,
      );
  }
  return parts;
}

function compileSlot(slot: number, parts: readonly string[]): Expr {
  const [first] = parts;
  if (first === undefined) return (frame) => frame[slot];
  if (parts.length > 1) return (frame) => readPath(frame[slot], parts);
  return (frame) => {
    const value = frame[slot];
    return value instanceof Doc ? value.get(first) : readPath(value, parts);
  };
}

function compileVariable(text: string, scope: Scope): Expr {
  const dot = text.indexOf(".");
  const name = dot < 0 ? text : text.slice(0, dot);
  const parts = dot < 0 ? [] : fieldPath(text.slice(dot + 1));
  const slot = scope.slots.get(name);
  if (slot !== undefined) return compileSlot(slot, parts);
  switch (name) {
    case "ROOT":
    case "CURRENT":
      return parts.length === 0 ? (frame) => frame[0] : (frame) => readPath(frame[0], parts);
    case "NOW":
      return constant(readPath(scope.context.now, parts));
    case "REMOVE":
      return constant(undefined);
    case "DESCEND":
    case "PRUNE":
    case "KEEP":
      return constant(name.toLowerCase());
    case "CLUSTER_TIME":
    case "USER_ROLES":
      throw unsupported(`$$${name}`);
    default:
      throw new MongoFault("Location17276", `Use of undefined variable: ${name}`);
  }
}
