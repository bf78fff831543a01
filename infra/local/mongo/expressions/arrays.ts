import { countWork } from "../foundation/budget.ts";
import { type ErrorCode, MongoFault } from "../foundation/fault.ts";
import { equals } from "../values/compare.ts";
import { isNullish, isNumeric, toInt64, toInteger } from "../values/numbers.ts";
import { typeName } from "../values/type-names.ts";
import { isInt32, type Maybe, type Value } from "../values/types.ts";
import { type Expr, fold, type Operator } from "./compile.ts";
import { operands, unary } from "./operands.ts";

export function int32(value: Maybe, error: () => MongoFault): number {
  const number = isNumeric(value) ? toInt64(value) : undefined;
  if (number === undefined || !isInt32(Number(number))) throw error();
  return Number(number);
}

function elementAt(list: Maybe, position: Maybe): Maybe {
  if (isNullish(list) || isNullish(position)) return null;
  if (!Array.isArray(list))
    throw new MongoFault("Location28689", `$arrayElemAt's first argument must be an array, but is ${typeName(list)}`);
  if (!isNumeric(position))
    throw new MongoFault(
      "Location28690",
      `$arrayElemAt's second argument must be a numeric value, but is ${typeName(position)}`,
    );
  const i = int32(
    position,
    () => new MongoFault("Location28691", "$arrayElemAt's second argument must be representable as a 32-bit integer"),
  );
  return list.at(i);
}

const end = (at: 0 | -1): Operator =>
  unary((value, name) => {
    if (isNullish(value)) return null;
    if (!Array.isArray(value))
      throw new MongoFault("Location28689", `${name}'s argument must be an array, but is ${typeName(value)}`);
    return value.at(at);
  });

function slice(list: Maybe, numbers: readonly Maybe[]): Maybe {
  if (isNullish(list) || numbers.some(isNullish)) return null;
  if (!Array.isArray(list))
    throw new MongoFault(
      "Location28724",
      `First argument to $slice must be an array, but is of type: ${typeName(list)}`,
    );
  const [a, b] = numbers.map((value, i) =>
    int32(
      value,
      () =>
        new MongoFault(
          i === 0 ? "Location28725" : "Location28727",
          "argument of $slice must be representable as a 32-bit integer",
        ),
    ),
  ) as [number, number?];
  if (b === undefined) countWork(Math.min(Math.abs(a), list.length) >> 2);
  if (b === undefined) return a >= 0 ? list.slice(0, a) : list.slice(a);
  if (b <= 0) throw new MongoFault("Location28729", `Third argument to $slice must be positive: ${b}`);
  const start = a >= 0 ? a : Math.max(0, list.length + a);
  countWork(b < list.length ? b >> 2 : list.length >> 2);
  return list.slice(start, start + b);
}

function range(name: string, values: readonly Maybe[]): Value[] {
  const [from, to, step = 1] = values.map((value, i) => {
    if (!isNumeric(value))
      throw new MongoFault(
        (["Location34443", "Location34445", "Location34447"] as const)[i] as ErrorCode,
        `${name} requires a numeric ${["starting", "ending", "step"][i]} value, found value of type: ${typeName(value)}`,
      );
    return int32(
      value,
      () =>
        new MongoFault(
          (["Location34444", "Location34446", "Location34448"] as const)[i] as ErrorCode,
          `${name} requires a value that can be represented as a 32-bit integer`,
        ),
    );
  }) as [number, number, number?];
  if (step === 0) throw new MongoFault("Location34449", `${name} requires a non-zero step value`);
  const count = Math.max(0, Math.ceil((to - from) / step));
  if (count > 2_000_000) throw new MongoFault("ExceededMemoryLimit", "$range would use too much memory");
  countWork(count);
  return Array.from({ length: count }, (_, i) => from + i * step);
}

function bounds(name: string, parts: readonly Maybe[], length: number): [number, number] {
  const [start = 0, stop = length] = parts.map((value) => {
    const number = toInteger(value);
    if (number === undefined)
      throw new MongoFault(
        "Location40096",
        `${name} requires an integral index, found a value of type: ${typeName(value)}`,
      );
    if (number < 0) throw new MongoFault("Location40097", `${name} requires a nonnegative index, found: ${number}`);
    return number;
  });
  return [start, Math.min(stop, length)];
}

/** The elements of a constant list, if all are strings. A string equals nothing but itself. */
function constantStrings(list: Expr): ReadonlySet<Maybe> | undefined {
  const values = list.isConstant === true ? list([]) : undefined;
  return Array.isArray(values) && values.every((value) => typeof value === "string") ? new Set(values) : undefined;
}

export const arrayOperators: Record<string, Operator> = {
  $size: unary((value) => {
    if (!Array.isArray(value))
      throw new MongoFault(
        "Location17124",
        `The argument to $size must be an array, but was of type: ${typeName(value)}`,
      );
    return value.length;
  }),
  $isArray: unary((value) => Array.isArray(value)),
  $first: end(0),
  $last: end(-1),
  $reverseArray: unary((value) => {
    if (isNullish(value)) return null;
    if (!Array.isArray(value))
      throw new MongoFault(
        "Location34435",
        `The argument to $reverseArray must be an array, but was of type: ${typeName(value)}`,
      );
    countWork(value.length >> 2);
    return value.toReversed();
  }),
  $arrayElemAt(argument, scope, name) {
    const [list, position] = operands(name, argument, scope, 2) as [Expr, Expr];
    return fold([list, position], (frame) => elementAt(list(frame), position(frame)));
  },
  $slice(argument, scope, name) {
    const [list, ...numbers] = operands(name, argument, scope, 2, 3) as [Expr, ...Expr[]];
    return fold([list, ...numbers], (frame) =>
      slice(
        list(frame),
        numbers.map((number) => number(frame)),
      ),
    );
  },
  $concatArrays(argument, scope, name) {
    const parts = operands(name, argument, scope, 0, Infinity);
    return fold(parts, (frame) => {
      const result: Value[] = [];
      let empty = false;
      for (const part of parts) {
        const value = part(frame);
        if (isNullish(value)) empty = true;
        else if (!Array.isArray(value))
          throw new MongoFault("Location28664", `$concatArrays only supports arrays, not ${typeName(value)}`);
        else {
          countWork(value.length >> 1);
          for (const item of value) result.push(item);
        }
      }
      return empty ? null : result;
    });
  },
  $in(argument, scope, name) {
    const [item, list] = operands(name, argument, scope, 2) as [Expr, Expr];
    const { order } = scope.context;
    const known = order === undefined ? constantStrings(list) : undefined;
    if (known !== undefined)
      return fold([item, list], (frame) => {
        countWork(1);
        return known.has(item(frame));
      });
    return fold([item, list], (frame) => {
      const values = list(frame);
      if (!Array.isArray(values))
        throw new MongoFault("Location40081", `$in requires an array as a second argument, found: ${typeName(values)}`);
      const wanted = item(frame);
      countWork(values.length >> 1);
      return values.some((value) => equals(value, wanted, order));
    });
  },
  $indexOfArray(argument, scope, name) {
    const [list, item, ...range] = operands(name, argument, scope, 2, 4) as [Expr, Expr, ...Expr[]];
    const { order } = scope.context;
    return fold([list, item, ...range], (frame) => {
      const values = list(frame);
      if (isNullish(values)) return null;
      if (!Array.isArray(values))
        throw new MongoFault(
          "Location40090",
          `$indexOfArray requires an array as a first argument, found: ${typeName(values)}`,
        );
      const wanted = item(frame);
      const [start, stop] = bounds(
        name,
        range.map((part) => part(frame)),
        values.length,
      );
      countWork(Math.max(0, stop - start) >> 1);
      for (let i = start; i < stop; i++) if (equals(values[i], wanted, order)) return i;
      return -1;
    });
  },
  $range(argument, scope, name) {
    const parts = operands(name, argument, scope, 2, 3);
    return fold(parts, (frame) =>
      range(
        name,
        parts.map((part) => part(frame)),
      ),
    );
  },
};
