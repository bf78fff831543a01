import { countWork } from "../foundation/budget.ts";
import { type ErrorCode, MongoFault } from "../foundation/fault.ts";
import { compare, equals, type StringOrder } from "../values/compare.ts";
import { encodeKey } from "../values/key.ts";
import { isNullish, isTrue } from "../values/numbers.ts";
import { typeName } from "../values/type-names.ts";
import type { Maybe, Value } from "../values/types.ts";
import { type Expr, fold, type Operator } from "./compile.ts";
import { operands } from "./operands.ts";

/** A set of values in insertion order. */
export interface ValueSet {
  add(value: Value): boolean;
  has(value: Value): boolean;
  readonly values: Value[];
}

export function valueSet(order: StringOrder | undefined, initial: readonly Value[] = []): ValueSet {
  const values: Value[] = [];
  const set = order === undefined ? hashed(values) : ordered(values, order);
  for (const value of initial) set.add(value);
  return set;
}

function hashed(values: Value[]): ValueSet {
  const seen = new Set<string>();
  return {
    values,
    has: (value) => seen.has(encodeKey(value)),
    add(value) {
      const key = encodeKey(value);
      if (seen.has(key)) return false;
      seen.add(key);
      values.push(value);
      return true;
    },
  };
}

/** A collation has no hash, so the values are compared one by one. */
function ordered(values: Value[], order: StringOrder): ValueSet {
  const has = (value: Value): boolean => {
    countWork(values.length);
    return values.some((known) => equals(known, value, order));
  };
  return {
    values,
    has,
    add(value) {
      if (has(value)) return false;
      values.push(value);
      return true;
    },
  };
}

function sets(name: string, code: ErrorCode, values: readonly Maybe[]): Value[][] {
  return values.map((value) => {
    if (!Array.isArray(value))
      throw new MongoFault(code, `All operands of ${name} must be arrays. One argument is of type: ${typeName(value)}`);
    return value;
  });
}

type SetFunction = (lists: readonly Value[][], order: StringOrder | undefined) => Value;

function setOperator(code: ErrorCode, min: number, max: number, apply: SetFunction, nullable: boolean): Operator {
  return (argument, scope, name) => {
    const parts = operands(name, argument, scope, min, max);
    const { order } = scope.context;
    return fold(parts, (frame) => {
      const values = parts.map((part) => part(frame));
      if (nullable && values.some(isNullish)) return null;
      const lists = sets(name, code, values);
      for (const list of lists) countWork(list.length * 4);
      return apply(lists, order);
    });
  };
}

/** MongoDB defines no order for the result of a set operator; here it is sorted. */
const sorted = (values: Value[], order: StringOrder | undefined): Value[] =>
  values.sort((a, b) => compare(a, b, order));

export const setOperators: Record<string, Operator> = {
  $setUnion: setOperator(
    "Location17043",
    0,
    Infinity,
    (lists, order) => sorted(valueSet(order, lists.flat()).values, order),
    true,
  ),
  $setIntersection: setOperator(
    "Location17047",
    0,
    Infinity,
    (lists, order) => {
      const [first = [], ...rest] = lists;
      const others = rest.map((list) => valueSet(order, list));
      const common = valueSet(order, first).values.filter((value) => others.every((other) => other.has(value)));
      return sorted(common, order);
    },
    true,
  ),
  $setDifference: setOperator(
    "Location17048",
    2,
    2,
    (lists, order) => {
      const [first = [], second = []] = lists;
      const removed = valueSet(order, second);
      return valueSet(
        order,
        first.filter((value) => !removed.has(value)),
      ).values;
    },
    true,
  ),
  $setEquals: setOperator(
    "Location17044",
    2,
    Infinity,
    (lists, order) => {
      const [first, ...rest] = lists.map((list) => valueSet(order, list)) as [ValueSet, ...ValueSet[]];
      return rest.every(
        (other) => other.values.length === first.values.length && other.values.every((value) => first.has(value)),
      );
    },
    false,
  ),
  $setIsSubset: setOperator(
    "Location17046",
    2,
    2,
    (lists, order) => {
      const [first = [], second = []] = lists;
      const whole = valueSet(order, second);
      return first.every((value) => whole.has(value));
    },
    false,
  ),
  $allElementsTrue: every("Location17040", (values) => values.every(isTrue)),
  $anyElementTrue: every("Location17041", (values) => values.some(isTrue)),
};

function every(code: ErrorCode, test: (values: readonly Value[]) => boolean): Operator {
  return (argument, scope, name) => {
    const [part] = operands(name, argument, scope, 1) as [Expr];
    return fold([part], (frame) => {
      const value = part(frame);
      if (!Array.isArray(value))
        throw new MongoFault(code, `${name}'s argument must be an array, but is ${typeName(value)}`);
      countWork(value.length >> 2);
      return test(value);
    });
  };
}
