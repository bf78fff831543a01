import { compileAccumulator } from "../expressions/accumulators.ts";
import { compile, type Expr, type Frame } from "../expressions/compile.ts";
import type { Accumulator } from "../expressions/group-state.ts";
import { countWork, shouldYield } from "../foundation/budget.ts";
import type { Coroutine } from "../foundation/coroutine.ts";
import { failedToParse, MongoFault, unsupported } from "../foundation/fault.ts";
import { isKnownUnsupported, isSupported } from "../foundation/operators.ts";
import { Doc } from "../values/document.ts";
import { toInteger } from "../values/numbers.ts";
import { compareSortKeys, type SortField, type SortKey } from "../values/sort.ts";
import type { Value } from "../values/types.ts";
import type { PipelineScope } from "./stage.ts";
import { endOf, type Partition, readWindow, startOf, type Window } from "./window-bounds.ts";
import { movingDeviation } from "./window-deviation.ts";

type Output = (partition: Partition, frame: Frame) => Coroutine<Value[]>;

/** Accumulators that may be used over a window. */
const windowed = [
  "$sum",
  "$avg",
  "$min",
  "$max",
  "$push",
  "$addToSet",
  "$first",
  "$last",
  "$stdDevPop",
  "$stdDevSamp",
  "$count",
  "$firstN",
  "$lastN",
  "$minN",
  "$maxN",
  "$top",
  "$topN",
  "$bottom",
  "$bottomN",
];
const ranks = ["$rank", "$denseRank", "$documentNumber"];
export const windowNames: readonly string[] = [...windowed, ...ranks, "$shift"];

export function valueAt(expr: Expr, doc: Doc, frame: Frame): Value {
  frame[0] = doc;
  return expr(frame) ?? null;
}

export function readOutput(spec: Value, sort: readonly SortField[], scope: PipelineScope): Output {
  if (!(spec instanceof Doc) || spec.size === 0)
    throw failedToParse("The output of $setWindowFields must be an object with a window function");
  const name = spec.keys[0] as string;
  if (!isSupported("window", name)) {
    if (isKnownUnsupported(name)) throw unsupported(name);
    throw failedToParse(`Unrecognized window function, ${name}`);
  }
  for (const key of spec.keys.slice(1))
    if (key !== "window") throw failedToParse(`Window function found an unknown argument: ${key}`);
  const argument = spec.values[0] as Value;
  if (ranks.includes(name)) return rank(name, argument, spec, sort, scope);
  if (name === "$shift") return shift(argument, spec, sort, scope);
  const window = readWindow(spec.get("window"), sort);
  if (name.startsWith("$stdDev") && window.low !== "unbounded") return movingDeviation(name, argument, window, scope);
  return overWindow(compileAccumulator(name, argument, scope.evaluation.scope), window);
}

function rank(name: string, argument: Value, spec: Doc, sort: readonly SortField[], scope: PipelineScope): Output {
  if (!(argument instanceof Doc) || argument.size > 0)
    throw failedToParse(`${name} must be specified with '{}' as the value`);
  if (spec.has("window")) throw failedToParse("Rank style window functions take no other arguments");
  if (sort.length === 0 || (name !== "$documentNumber" && sort.length !== 1))
    throw new MongoFault(
      "Location5371602",
      `${name} must be specified with a top level sortBy expression with exactly one element`,
    );
  const byKey = compareSortKeys(sort, scope.collation?.order);
  return function* ({ keys }) {
    let dense = 0;
    let first = 0;
    const result: Value[] = [];
    for (const [i, key] of keys.entries()) {
      if (shouldYield()) yield;
      if (i === 0 || byKey(keys[i - 1] as SortKey, key) !== 0) {
        dense++;
        first = i + 1;
      }
      result.push(name === "$rank" ? first : name === "$denseRank" ? dense : i + 1);
    }
    return result;
  };
}

function shift(argument: Value, spec: Doc, sort: readonly SortField[], scope: PipelineScope): Output {
  if (!(argument instanceof Doc) || spec.has("window"))
    throw failedToParse("Argument to $shift must be an object, without a window");
  for (const key of argument.keys)
    if (!["output", "by", "default"].includes(key)) throw failedToParse(`Unknown argument in $shift: ${key}`);
  if (sort.length === 0) throw failedToParse("'$shift' requires a sortBy");
  const by = toInteger(argument.get("by"));
  const output = argument.get("output");
  if (by === undefined || output === undefined) throw failedToParse("$shift requires 'output' and an integer 'by'");
  const expr = compile(output, scope.evaluation.scope);
  const fallback = argument.get("default");
  const otherwise = fallback === undefined ? null : (compile(fallback, scope.evaluation.scope)([]) ?? null);
  return function* ({ docs }, frame) {
    const result: Value[] = [];
    for (let i = 0; i < docs.length; i++) {
      if (shouldYield()) yield;
      const doc = docs[i + by];
      result.push(doc === undefined ? otherwise : valueAt(expr, doc, frame));
    }
    return result;
  };
}

function overWindow(accumulator: Accumulator, window: Window): Output {
  return function* (partition, frame) {
    const { docs } = partition;
    const feed = function* (state: ReturnType<Accumulator>, from: number, end: number): Coroutine<void> {
      for (let i = from; i < end; i++) {
        if (shouldYield()) yield;
        frame[0] = docs[i];
        state.add(frame);
      }
    };
    const result: Value[] = [];
    // A window with a fixed start needs one pass.
    if (window.low === "unbounded") {
      const state = accumulator();
      let done = 0;
      for (let i = 0; i < docs.length; i++) {
        const end = endOf(partition, window, i);
        yield* feed(state, done, end);
        done = Math.max(done, end);
        const value = state.value() ?? null;
        if (Array.isArray(value)) countWork(value.length);
        result.push(Array.isArray(value) ? [...value] : value);
      }
      return result;
    }
    for (let i = 0; i < docs.length; i++) {
      const state = accumulator();
      const end = endOf(partition, window, i);
      yield* feed(state, startOf(partition, window, i), end);
      result.push(state.value() ?? null);
    }
    return result;
  };
}
