import { MongoFault } from "../foundation/fault.ts";
import { Doc } from "../values/document.ts";
import type { Maybe, Value } from "../values/types.ts";
import { compile, type Expr, fold, type Operator, type Scope } from "./compile.ts";

/** The operands of an operator: an array of them, or the single one itself. */
export function operands(name: string, value: Value, scope: Scope, min: number, max = min): Expr[] {
  const list = Array.isArray(value) ? value : [value];
  if (list.length < min || list.length > max) {
    const wanted = min === max ? `exactly ${min} arguments` : `at least ${min} arguments, and at most ${max}`;
    throw new MongoFault("Location16020", `Expression ${name} takes ${wanted}. ${list.length} were passed in.`);
  }
  return list.map((item) => compile(item, scope));
}

/** The named arguments of an operator that takes an object. */
export function namedArguments(
  name: string,
  value: Value,
  required: readonly string[],
  optional: readonly string[] = [],
): Doc {
  if (!(value instanceof Doc)) throw new MongoFault("FailedToParse", `${name} only supports an object as its argument`);
  for (const key of value.keys) {
    if (!required.includes(key) && !optional.includes(key))
      throw new MongoFault("FailedToParse", `Unrecognized argument to ${name}: ${key}`);
  }
  for (const key of required) {
    if (!value.has(key)) throw new MongoFault("FailedToParse", `Missing '${key}' parameter to ${name}`);
  }
  return value;
}

/** An operator of one operand. */
export function unary(apply: (value: Maybe, name: string) => Maybe): Operator {
  return (argument, scope, name) => {
    const [part] = operands(name, argument, scope, 1) as [Expr];
    return fold([part], (frame) => apply(part(frame), name));
  };
}
