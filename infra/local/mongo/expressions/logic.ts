import { type ErrorCode, MongoFault } from "../foundation/fault.ts";
import { compare, equals } from "../values/compare.ts";
import { Doc } from "../values/document.ts";
import { isNullish, isTrue } from "../values/numbers.ts";
import type { Maybe, Value } from "../values/types.ts";
import { bind, compile, constant, type Expr, fold, type Operator } from "./compile.ts";
import { namedArguments, operands } from "./operands.ts";

function comparison(test: (order: number) => Maybe): Operator {
  return (argument, scope, name) => {
    const [a, b] = operands(name, argument, scope, 2) as [Expr, Expr];
    const { order } = scope.context;
    return fold([a, b], (frame) => test(compare(a(frame), b(frame), order)));
  };
}

const equality =
  (wanted: boolean): Operator =>
  (argument, scope, name) => {
    const [a, b] = operands(name, argument, scope, 2) as [Expr, Expr];
    const { order } = scope.context;
    return fold([a, b], (frame) => equals(a(frame), b(frame), order) === wanted);
  };

function conditional(when: Expr, then: Expr, otherwise: Expr): Expr {
  return fold([when, then, otherwise], (frame) => (isTrue(when(frame)) ? then(frame) : otherwise(frame)));
}

export const logicOperators: Record<string, Operator> = {
  $eq: equality(true),
  $ne: equality(false),
  $gt: comparison((order) => order > 0),
  $gte: comparison((order) => order >= 0),
  $lt: comparison((order) => order < 0),
  $lte: comparison((order) => order <= 0),
  $cmp: comparison((order) => Math.sign(order)),

  $and(argument, scope, name) {
    const parts = operands(name, argument, scope, 0, Infinity);
    return fold(parts, (frame) => parts.every((part) => isTrue(part(frame))));
  },
  $or(argument, scope, name) {
    const parts = operands(name, argument, scope, 0, Infinity);
    return fold(parts, (frame) => parts.some((part) => isTrue(part(frame))));
  },
  $not(argument, scope, name) {
    const [part] = operands(name, argument, scope, 1) as [Expr];
    return fold([part], (frame) => !isTrue(part(frame)));
  },

  $cond(argument, scope, name) {
    if (!(argument instanceof Doc)) {
      const [when, then, otherwise] = operands(name, argument, scope, 3) as [Expr, Expr, Expr];
      return conditional(when, then, otherwise);
    }
    for (const key of argument.keys) {
      if (key !== "if" && key !== "then" && key !== "else")
        throw new MongoFault("Location17083", `Unrecognized parameter to $cond: ${key}`);
    }
    const [when, then, otherwise] = ["if", "then", "else"].map((key, i) => {
      const part = argument.get(key);
      if (part === undefined)
        throw new MongoFault(
          (["Location17080", "Location17081", "Location17082"] as const)[i] as ErrorCode,
          `Missing '${key}' parameter to $cond`,
        );
      return compile(part, scope);
    }) as [Expr, Expr, Expr];
    return conditional(when, then, otherwise);
  },

  $ifNull(argument, scope, name) {
    const list = Array.isArray(argument) ? argument : [argument];
    if (list.length < 2)
      throw new MongoFault("Location1257300", `$ifNull needs at least two arguments, had: ${list.length}`);
    const parts = operands(name, argument, scope, 2, Infinity);
    return fold(parts, (frame) => {
      let value: Maybe;
      for (const part of parts) {
        value = part(frame);
        if (!isNullish(value)) return value;
      }
      return value;
    });
  },

  $switch(argument, scope) {
    if (!(argument instanceof Doc)) throw new MongoFault("Location40060", "$switch requires an object as an argument");
    for (const key of argument.keys) {
      if (key !== "branches" && key !== "default")
        throw new MongoFault("Location40067", `$switch found an unknown argument: ${key}`);
    }
    const branches = argument.get("branches");
    if (!Array.isArray(branches)) throw new MongoFault("Location40061", "$switch expected an array for 'branches'");
    if (branches.length === 0) throw new MongoFault("Location40068", "$switch requires at least one branch.");
    const cases = branches.map((branch) => {
      if (!(branch instanceof Doc))
        throw new MongoFault("Location40062", "$switch expected each branch to be an object");
      for (const key of branch.keys) {
        if (key !== "case" && key !== "then")
          throw new MongoFault("Location40063", `$switch found an unknown argument to a branch: ${key}`);
      }
      const when = branch.get("case");
      const then = branch.get("then");
      if (when === undefined)
        throw new MongoFault("Location40064", "$switch requires each branch have a 'case' expression");
      if (then === undefined)
        throw new MongoFault("Location40065", "$switch requires each branch have a 'then' expression.");
      return { when: compile(when, scope), then: compile(then, scope) };
    });
    const fallback = argument.get("default");
    const otherwise = fallback === undefined ? undefined : compile(fallback, scope);
    return (frame) => {
      for (const { when, then } of cases) if (isTrue(when(frame))) return then(frame);
      if (otherwise !== undefined) return otherwise(frame);
      throw new MongoFault(
        "Location40066",
        "$switch could not find a matching branch for an input, and no default was specified.",
      );
    };
  },

  $let(argument, scope, name) {
    const { vars, body } = letArguments(name, argument);
    const values = vars.values.map((value) => compile(value, scope));
    const bound = bind(scope, vars.keys);
    const inner = compile(body, bound.scope);
    return (frame) => {
      for (let i = 0; i < values.length; i++) frame[bound.slots[i] as number] = (values[i] as Expr)(frame);
      return inner(frame);
    };
  },

  $literal: (argument) => constant(argument),
  $expr: (argument, scope) => compile(argument, scope),
};

function letArguments(name: string, argument: Value): { vars: Doc; body: Value } {
  const args = namedArguments(name, argument, ["vars", "in"]);
  const vars = args.get("vars");
  if (!(vars instanceof Doc)) throw new MongoFault("Location16874", "invalid parameter: expected an object (vars)");
  return { vars, body: args.get("in") as Value };
}
