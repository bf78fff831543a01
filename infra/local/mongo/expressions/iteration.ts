import { compileWithCost, countWork } from "../foundation/budget.ts";
import { type ErrorCode, MongoFault } from "../foundation/fault.ts";
import { compare } from "../values/compare.ts";
import { Doc } from "../values/document.ts";
import { isNullish, isTrue, toInteger } from "../values/numbers.ts";
import { compareSortKeys, elementKey, readSort } from "../values/sort.ts";
import { typeName } from "../values/type-names.ts";
import type { Maybe, Value } from "../values/types.ts";
import { bind, compile, type Operator, type Scope } from "./compile.ts";
import { namedArguments } from "./operands.ts";

function variableName(args: Doc, fallback: string): string {
  const name = args.get("as");
  if (name === undefined) return fallback;
  if (typeof name !== "string" || name === "")
    throw new MongoFault("Location16866", "empty variable names are not allowed");
  return name;
}

function inputList(name: string, value: Maybe, code: ErrorCode): readonly Value[] | undefined {
  if (isNullish(value)) return undefined;
  if (!Array.isArray(value)) throw new MongoFault(code, `input to ${name} must be an array not ${typeName(value)}`);
  return value;
}

export const iterationOperators: Record<string, Operator> = {
  $map(argument, scope, name) {
    const args = namedArguments(name, argument, ["input", "in"], ["as"]);
    const input = compile(args.get("input") as Value, scope);
    const inner = bind(scope, [variableName(args, "this")]);
    const [each, cost] = compileWithCost(() => compile(args.get("in") as Value, inner.scope));
    const slot = inner.slots[0] as number;
    return (frame) => {
      const list = inputList(name, input(frame), "Location16883");
      if (list === undefined) return null;
      const result: Value[] = [];
      for (const item of list) {
        countWork(cost);
        frame[slot] = item;
        result.push(each(frame) ?? null);
      }
      return result;
    };
  },

  $filter(argument, scope, name) {
    const args = namedArguments(name, argument, ["input", "cond"], ["as", "limit"]);
    const input = compile(args.get("input") as Value, scope);
    const inner = bind(scope, [variableName(args, "this")]);
    const [cond, cost] = compileWithCost(() => compile(args.get("cond") as Value, inner.scope));
    const limitSpec = args.get("limit");
    const limit = limitSpec === undefined ? undefined : compile(limitSpec, scope);
    const slot = inner.slots[0] as number;
    return (frame) => {
      const list = inputList(name, input(frame), "Location28651");
      if (list === undefined) return null;
      const most = limit === undefined ? Infinity : filterLimit(limit(frame));
      const result: Value[] = [];
      for (const item of list) {
        if (result.length >= most) break;
        countWork(cost);
        frame[slot] = item;
        if (isTrue(cond(frame))) result.push(item);
      }
      return result;
    };
  },

  $reduce(argument, scope, name) {
    const args = namedArguments(name, argument, ["input", "initialValue", "in"]);
    const input = compile(args.get("input") as Value, scope);
    const initial = compile(args.get("initialValue") as Value, scope);
    const inner = bind(scope, ["this", "value"]);
    const [step, cost] = compileWithCost(() => compile(args.get("in") as Value, inner.scope));
    const [thisSlot, valueSlot] = inner.slots as [number, number];
    return (frame) => {
      const list = inputList(name, input(frame), "Location40080");
      if (list === undefined) return null;
      let value = initial(frame);
      for (const item of list) {
        countWork(cost);
        frame[thisSlot] = item;
        frame[valueSlot] = value;
        value = step(frame);
      }
      return value;
    };
  },

  $sortArray(argument, scope, name) {
    const args = namedArguments(name, argument, ["input", "sortBy"]);
    const input = compile(args.get("input") as Value, scope);
    const arrange = sorting(args.get("sortBy") as Value, scope);
    return (frame) => {
      const list = input(frame);
      if (isNullish(list)) return null;
      if (!Array.isArray(list))
        throw new MongoFault(
          "Location2942504",
          `The input argument to $sortArray must be an array, but was of type: ${typeName(list)}`,
        );
      countWork(list.length * (4 + Math.log2(list.length + 1)));
      return arrange(list);
    };
  },
};

function filterLimit(value: Maybe): number {
  if (isNullish(value)) return Infinity;
  const limit = toInteger(value);
  if (limit === undefined)
    throw new MongoFault("Location327391", "$filter: limit must be represented as a 32-bit integral value");
  if (limit < 1) throw new MongoFault("Location327392", `$filter: limit must be greater than 0: ${limit}`);
  return limit;
}

function sorting(spec: Value, scope: Scope): (list: readonly Value[]) => Value[] {
  const { order } = scope.context;
  if (!(spec instanceof Doc)) {
    const direction = toInteger(spec);
    if (direction !== 1 && direction !== -1)
      throw new MongoFault("Location2942507", "The $sort element value must be either 1 or -1");
    return (list) => list.toSorted((a, b) => compare(a, b, order) * direction);
  }
  const fields = readSort(spec, "sortBy");
  const byKey = compareSortKeys(fields, order);
  return (list) =>
    list
      .map((item) => ({ item, key: elementKey(item, fields) }))
      .sort((a, b) => byKey(a.key, b.key))
      .map(({ item }) => item);
}
