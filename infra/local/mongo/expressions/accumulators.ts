import { countMemory, countWork } from "../foundation/budget.ts";
import { MongoFault, unsupported } from "../foundation/fault.ts";
import { isKnownUnsupported, isSupported } from "../foundation/operators.ts";
import { compare, type StringOrder } from "../values/compare.ts";
import { Doc } from "../values/document.ts";
import { estimateSize } from "../values/estimated-size.ts";
import { isNullish, isNumeric, toNumber } from "../values/numbers.ts";
import { typeName } from "../values/type-names.ts";
import { double, type Maybe, type Value } from "../values/types.ts";
import { compile, type Expr, type Scope } from "./compile.ts";
import type { Accumulator } from "./group-state.ts";
import { nth, ranked, selectors } from "./selecting-accumulators.ts";
import { valueSet } from "./sets.ts";
import { newTotal, type Total } from "./total.ts";

type Simple = (expr: Expr, scope: Scope) => Accumulator;

function totals(finish: (total: Total) => Value): Simple {
  return (expr) => () => {
    const total = newTotal();
    return { add: (frame) => total.add(expr(frame)), value: () => finish(total) };
  };
}

/** Most values are plain numbers, which compare fast. NaN is less than every other number. */
function isBetter(value: Value, best: Maybe, sign: 1 | -1, order: StringOrder | undefined): boolean {
  if (typeof value === "number" && typeof best === "number") {
    if (sign > 0 ? value > best : value < best) return true;
    if (!Number.isNaN(value) && !Number.isNaN(best)) return false;
  }
  return best === undefined || compare(value, best, order) * sign > 0;
}

function extreme(sign: 1 | -1): Simple {
  return (expr, scope) => () => {
    const { order } = scope.context;
    let best: Maybe;
    return {
      add(frame) {
        const value = expr(frame);
        if (!isNullish(value) && isBetter(value, best, sign, order)) best = value;
      },
      value: () => best ?? null,
    };
  };
}

export function deviation(values: readonly number[], sample: boolean): Value {
  const count = values.length - (sample ? 1 : 0);
  if (count <= 0) return null;
  // Welford's method, as in MongoDB.
  let mean = 0;
  let squares = 0;
  values.forEach((x, i) => {
    const delta = x - mean;
    mean += delta / (i + 1);
    squares += delta * (x - mean);
  });
  return double(Math.sqrt(squares / count));
}

function deviations(sample: boolean): Simple {
  return (expr) => () => {
    const values: number[] = [];
    return {
      add(frame) {
        const value = expr(frame);
        if (isNumeric(value)) values.push(toNumber(value));
      },
      value: () => deviation(values, sample),
    };
  };
}

const simple: Record<string, Simple> = {
  $sum: totals((total) => total.sum() as Value),
  $avg: totals((total) => total.average()),
  $max: extreme(1),
  $min: extreme(-1),
  $stdDevPop: deviations(false),
  $stdDevSamp: deviations(true),
  $first: (expr) => () => {
    let first: Maybe;
    let seen = false;
    return {
      add(frame) {
        if (!seen) first = expr(frame) ?? null;
        seen = true;
      },
      value: () => first,
    };
  },
  $last: (expr) => () => {
    let last: Maybe = null;
    return {
      add(frame) {
        last = expr(frame) ?? null;
      },
      value: () => last,
    };
  },
  $push: (expr) => () => {
    const values: Value[] = [];
    return {
      add(frame) {
        const value = expr(frame);
        if (value === undefined) return;
        countMemory(16 + estimateSize(value));
        values.push(value);
      },
      value: () => values,
    };
  },
  $addToSet: (expr, scope) => () => {
    const set = valueSet(scope.context.order);
    return {
      add(frame) {
        const value = expr(frame);
        if (value !== undefined && set.add(value)) countMemory(64 + 2 * estimateSize(value));
      },
      value: () => set.values,
    };
  },
  $mergeObjects: (expr) => () => {
    const merged = new Map<string, Value>();
    return {
      add(frame) {
        const value = expr(frame);
        if (isNullish(value)) return;
        if (!(value instanceof Doc))
          throw new MongoFault(
            "Location40400",
            `$mergeObjects requires object inputs, but input is of type ${typeName(value)}`,
          );
        countWork(value.size);
        value.keys.forEach((key, i) => {
          const next = value.values[i] as Value;
          if (!merged.has(key)) countMemory(key.length + estimateSize(next));
          merged.set(key, next);
        });
      },
      value: () => Doc.of([...merged.keys()], [...merged.values()]),
    };
  },
};

export const accumulatorNames: readonly string[] = [
  ...Object.keys(simple),
  ...Object.keys(selectors),
  "$top",
  "$topN",
  "$bottom",
  "$bottomN",
  "$count",
];

export function compileAccumulator(name: string, spec: Value, scope: Scope): Accumulator {
  if (!isSupported("accumulators", name)) {
    if (isKnownUnsupported(name)) throw unsupported(name);
    throw new MongoFault("Location15952", `unknown group operator '${name}'`);
  }
  if (name === "$count") {
    if (!(spec instanceof Doc) || spec.size > 0)
      throw new MongoFault("FailedToParse", "$count takes no arguments, i.e. $count:{}");
    return compileAccumulator("$sum", 1, scope);
  }
  if (selectors[name] !== undefined) return nth(name, spec, scope);
  if (name.startsWith("$top") || name.startsWith("$bottom")) return ranked(name, spec, scope);
  if (Array.isArray(spec) && spec.length !== 1)
    throw new MongoFault("Location40237", `The ${name} accumulator is a unary operator`);
  return (simple[name] as Simple)(compile(Array.isArray(spec) ? (spec[0] as Value) : spec, scope), scope);
}
