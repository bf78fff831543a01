import { MongoFault, unsupported } from "../fault.ts";
import { isKnownElsewhere, isListed } from "../operators.ts";
import { compareSortKeys, readSort, type SortKey, sortKey } from "../query/sort.ts";
import { compare } from "../values/compare.ts";
import { addDecimals, Decimal, divideDecimals } from "../values/decimal.ts";
import { Doc } from "../values/document.ts";
import { fitsInt64, isNumeric, type Numeric, toDecimal, toInteger, toNumber } from "../values/numbers.ts";
import { typeName } from "../values/type-names.ts";
import { double, isInt32, type Maybe, type Value } from "../values/types.ts";
import { compile, type Expr, type Frame, isNullish, namedArguments, type Scope } from "./compile.ts";
import { valueSet } from "./sets.ts";

export interface State {
  add(frame: Frame): void;
  value(): Maybe;
}

/** Makes the state of one group. */
export type Accumulator = () => State;

/** A total that loses nothing on the way: integers exactly, doubles with their rounding error carried along. */
export interface Total {
  add(value: Maybe): void;
  sum(): Numeric;
  average(): Value;
}

export function newTotal(): Total {
  let integers = 0n;
  let small = 0;
  let sum = 0;
  let carry = 0;
  let decimals: Decimal | undefined;
  let widest: "int" | "long" | "double" = "int";
  let count = 0;
  const addDouble = (x: number): void => {
    widest = "double";
    const next = sum + x;
    if (Number.isFinite(next)) {
      const virtual = next - sum;
      carry += sum - (next - virtual) + (x - virtual);
    }
    sum = next;
  };
  const whole = (): bigint => integers + BigInt(small);
  const doubles = (): number => {
    const extra = whole();
    if (extra === 0n) return sum + (Number.isFinite(sum) ? carry : 0);
    return Number.isFinite(sum) ? sum + (carry + Number(extra)) : sum;
  };
  const asDecimal = (): Decimal => {
    let total = addDecimals(decimals as Decimal, toDecimal(whole()));
    if (widest === "double") total = addDecimals(total, toDecimal(double(sum + carry)));
    return total;
  };
  return {
    add(value) {
      if (typeof value === "number" && isInt32(value)) {
        count++;
        small += value;
        if (small > 9e15 || small < -9e15) {
          integers += BigInt(small);
          small = 0;
        }
      } else if (isNumeric(value)) {
        count++;
        if (value instanceof Decimal) decimals = decimals === undefined ? value : addDecimals(decimals, value);
        else if (typeof value === "bigint") {
          integers += value;
          if (widest === "int") widest = "long";
        } else addDouble(toNumber(value));
      }
    },
    sum() {
      if (decimals !== undefined) return asDecimal();
      if (widest === "double") return double(doubles());
      const total = whole();
      if (!fitsInt64(total)) return double(Number(total));
      return widest === "int" && isInt32(Number(total)) ? Number(total) : total;
    },
    average() {
      if (count === 0) return null;
      if (decimals !== undefined) return divideDecimals(asDecimal(), toDecimal(count));
      return double((widest === "double" ? doubles() : Number(whole())) / count);
    },
  };
}

type Simple = (expr: Expr, scope: Scope) => Accumulator;

function totals(finish: (total: Total) => Value): Simple {
  return (expr) => () => {
    const total = newTotal();
    return { add: (frame) => total.add(expr(frame)), value: () => finish(total) };
  };
}

function extreme(sign: 1 | -1): Simple {
  return (expr, scope) => () => {
    let best: Maybe;
    return {
      add(frame) {
        const value = expr(frame);
        if (!isNullish(value) && (best === undefined || compare(value, best, scope.context.order) * sign > 0))
          best = value;
      },
      value: () => best ?? null,
    };
  };
}

export function deviation(values: readonly number[], sample: boolean): Value {
  const count = values.length - (sample ? 1 : 0);
  if (count <= 0) return null;
  // Welford's method, as the server computes it.
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
        if (value instanceof Decimal) throw unsupported("the standard deviation of decimals");
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
        if (value !== undefined) values.push(value);
      },
      value: () => values,
    };
  },
  $addToSet: (expr, scope) => () => {
    const set = valueSet(scope.context.order);
    return {
      add(frame) {
        const value = expr(frame);
        if (value !== undefined) set.add(value);
      },
      value: () => set.values,
    };
  },
  $mergeObjects: (expr) => () => {
    let merged = Doc.empty;
    return {
      add(frame) {
        const value = expr(frame);
        if (isNullish(value)) return;
        if (!(value instanceof Doc))
          throw new MongoFault(40400, `$mergeObjects requires object inputs, but input is of type ${typeName(value)}`);
        value.keys.forEach((key, i) => {
          merged = merged.with(key, value.values[i] as Value);
        });
      },
      value: () => merged,
    };
  },
};

export function positiveCount(name: string, value: Maybe): number {
  const n = toInteger(value);
  if (n === undefined || !isNumeric(value))
    throw new MongoFault(5787902, `Value for 'n' must be of integral type, but found ${typeName(value)}`);
  if (n <= 0) throw new MongoFault(5787908, `'n' must be greater than 0, found ${n} for ${name}`);
  return n;
}

/** Selects from the values of a group those that the operator wants. */
export const selectors: Record<string, (values: Value[], n: number, scope: Scope) => Value[]> = {
  $firstN: (values, n) => values.slice(0, n),
  $lastN: (values, n) => values.slice(-n),
  $minN: (values, n, scope) =>
    present(values)
      .sort((a, b) => compare(a, b, scope.context.order))
      .slice(0, n),
  $maxN: (values, n, scope) =>
    present(values)
      .sort((a, b) => compare(b, a, scope.context.order))
      .slice(0, n),
};

const present = (values: readonly Value[]): Value[] => values.filter((value) => value !== null);

function nth(name: string, spec: Value, scope: Scope): Accumulator {
  const args = namedArguments(name, spec, ["n", "input"]);
  const count = compile(args.get("n") as Value, scope);
  const expr = compile(args.get("input") as Value, scope);
  const select = selectors[name] as (typeof selectors)[string];
  return () => {
    const values: Value[] = [];
    let n: number | undefined;
    return {
      add(frame) {
        n ??= positiveCount(name, count(frame));
        values.push(expr(frame) ?? null);
      },
      value: () => select(values, n ?? 1, scope),
    };
  };
}

/** $top, $bottom and their plurals: sorted within the group. */
function ranked(name: string, spec: Value, scope: Scope): Accumulator {
  const many = name.endsWith("N");
  const args = namedArguments(name, spec, many ? ["n", "sortBy", "output"] : ["sortBy", "output"]);
  const fields = readSort(args.get("sortBy"), "sortBy");
  const count = many ? compile(args.get("n") as Value, scope) : undefined;
  const output = compile(args.get("output") as Value, scope);
  const { order } = scope.context;
  const byKey = compareSortKeys(fields, order);
  return () => {
    const entries: { key: SortKey; value: Value }[] = [];
    let n = 1;
    return {
      add(frame) {
        if (count !== undefined && entries.length === 0) n = positiveCount(name, count(frame));
        entries.push({ key: sortKey(frame[0], fields, order), value: output(frame) ?? null });
      },
      value() {
        const sorted = entries.toSorted((a, b) => byKey(a.key, b.key)).map(({ value }) => value);
        const chosen = name.startsWith("$top") ? sorted.slice(0, n) : sorted.slice(-n);
        return many ? chosen : chosen[0];
      },
    };
  };
}

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
  if (!isListed("accumulators", name)) {
    if (isKnownElsewhere(name)) throw unsupported(name);
    throw new MongoFault(15952, `unknown group operator '${name}'`);
  }
  if (name === "$count") {
    if (!(spec instanceof Doc) || spec.size > 0) throw new MongoFault(9, "$count takes no arguments, i.e. $count:{}");
    return compileAccumulator("$sum", 1, scope);
  }
  if (selectors[name] !== undefined) return nth(name, spec, scope);
  if (name.startsWith("$top") || name.startsWith("$bottom")) return ranked(name, spec, scope);
  if (Array.isArray(spec) && spec.length !== 1)
    throw new MongoFault(40237, `The ${name} accumulator is a unary operator`);
  return (simple[name] as Simple)(compile(Array.isArray(spec) ? (spec[0] as Value) : spec, scope), scope);
}
