import { countWork } from "../foundation/budget.ts";
import { MongoFault } from "../foundation/fault.ts";
import { compare } from "../values/compare.ts";
import { Doc } from "../values/document.ts";
import { isNullish, isNumeric, toNumber } from "../values/numbers.ts";
import { typeName } from "../values/type-names.ts";
import type { Maybe, Value } from "../values/types.ts";
import { deviation } from "./accumulators.ts";
import { compile, type Expr, fold, type Operator, type Scope } from "./compile.ts";
import { namedArguments, operands } from "./operands.ts";
import { positiveCount, selectors } from "./selecting-accumulators.ts";
import { newTotal } from "./total.ts";

/** Accumulators as plain expressions: over the operands, or over the elements of a single array operand. */
function over(reduce: (values: readonly Maybe[], scope: Scope) => Maybe): Operator {
  return (argument, scope, name) => {
    const parts = operands(name, argument, scope, 0, Infinity);
    const [only] = parts;
    return fold(parts, (frame) => {
      if (parts.length === 1 && only !== undefined) {
        const value = only(frame);
        if (Array.isArray(value)) countWork(value.length);
        return reduce(Array.isArray(value) ? value : [value], scope);
      }
      return reduce(
        parts.map((part) => part(frame)),
        scope,
      );
    });
  };
}

function extreme(sign: 1 | -1): Operator {
  return over((values, scope) => {
    let best: Maybe;
    for (const value of values)
      if (!isNullish(value) && (best === undefined || compare(value, best, scope.context.order) * sign > 0))
        best = value;
    return best ?? null;
  });
}

const numbers = (values: readonly Maybe[]): number[] => values.filter(isNumeric).map(toNumber);

function nth(argument: Value, scope: Scope, name: string): Expr {
  const args = namedArguments(name, argument, ["n", "input"]);
  const count = compile(args.get("n") as Value, scope);
  const input = compile(args.get("input") as Value, scope);
  const select = selectors[name] as (typeof selectors)[string];
  return fold([count, input], (frame) => {
    const n = positiveCount(name, count(frame));
    const values = input(frame);
    if (isNullish(values)) return null;
    if (!Array.isArray(values))
      throw new MongoFault("Location5788200", `Input must be an array, but is ${typeName(values)} in ${name}`);
    countWork(values.length * 4);
    return select([...values], n, scope);
  });
}

function merged(values: readonly Maybe[]): Maybe {
  const fields = new Map<string, Value>();
  for (const value of values) {
    if (isNullish(value)) continue;
    if (!(value instanceof Doc))
      throw new MongoFault(
        "Location40400",
        `$mergeObjects requires object inputs, but input is of type ${typeName(value)}`,
      );
    countWork(value.size);
    value.keys.forEach((key, i) => void fields.set(key, value.values[i] as Value));
  }
  return Doc.of([...fields.keys()], [...fields.values()]);
}

export const accumulatorExpressions: Record<string, Operator> = {
  $sum: over((values) => {
    const total = newTotal();
    for (const value of values) total.add(value);
    return total.sum() as Value;
  }),
  $avg: over((values) => {
    const total = newTotal();
    for (const value of values) total.add(value);
    return total.average();
  }),
  $max: extreme(1),
  $min: extreme(-1),
  $stdDevPop: over((values) => deviation(numbers(values), false)),
  $stdDevSamp: over((values) => deviation(numbers(values), true)),
  $mergeObjects: over(merged),
  $firstN: nth,
  $lastN: nth,
  $minN: nth,
  $maxN: nth,
};
