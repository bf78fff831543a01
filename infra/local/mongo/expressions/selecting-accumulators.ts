import { countMemory } from "../foundation/budget.ts";
import { MongoFault } from "../foundation/fault.ts";
import { compare } from "../values/compare.ts";
import { estimateSize } from "../values/estimated-size.ts";
import { isNumeric, toInteger } from "../values/numbers.ts";
import { compareSortKeys, readSort, type SortKey, sortKey } from "../values/sort.ts";
import { typeName } from "../values/type-names.ts";
import type { Maybe, Value } from "../values/types.ts";
import { compile, type Scope } from "./compile.ts";
import type { Accumulator } from "./group-state.ts";
import { namedArguments } from "./operands.ts";

export function positiveCount(name: string, value: Maybe): number {
  const n = toInteger(value);
  if (n === undefined || !isNumeric(value))
    throw new MongoFault("Location5787902", `Value for 'n' must be of integral type, but found ${typeName(value)}`);
  if (n <= 0) throw new MongoFault("Location5787908", `'n' must be greater than 0, found ${n} for ${name}`);
  return n;
}

/** Selects the values of a group that an operator keeps. */
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

export function nth(name: string, spec: Value, scope: Scope): Accumulator {
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
        const value = expr(frame) ?? null;
        countMemory(16 + estimateSize(value));
        values.push(value);
      },
      value: () => select(values, n ?? 1, scope),
    };
  };
}

/** $top, $bottom, $topN and $bottomN. */
export function ranked(name: string, spec: Value, scope: Scope): Accumulator {
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
        const value = output(frame) ?? null;
        countMemory(96 + estimateSize(value));
        entries.push({ key: sortKey(frame[0], fields, order), value });
      },
      value() {
        const sorted = entries.toSorted((a, b) => byKey(a.key, b.key)).map(({ value }) => value);
        const chosen = name.startsWith("$top") ? sorted.slice(0, n) : sorted.slice(-n);
        return many ? chosen : chosen[0];
      },
    };
  };
}
