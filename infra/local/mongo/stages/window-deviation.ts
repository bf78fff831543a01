import { compile, type Expr, type Frame } from "../expressions/compile.ts";
import { countWork, shouldYield } from "../foundation/budget.ts";
import type { Coroutine } from "../foundation/coroutine.ts";
import { MongoFault, unsupported } from "../foundation/fault.ts";
import { Decimal } from "../values/decimal.ts";
import { doubleDouble } from "../values/double-double.ts";
import { isNumeric, toNumber } from "../values/numbers.ts";
import { double, type Maybe, type Value } from "../values/types.ts";
import type { PipelineScope } from "./stage.ts";
import { endOf, type Partition, startOf, type Window } from "./window-bounds.ts";

interface Deviation {
  add(value: Maybe): void;
  remove(value: Maybe): void;
  reset(): void;
  value(): Value;
}

/**
 * The standard deviation of a moving window, computed incrementally as in MongoDB: the last digits depend on values
 * that have left the window. A single value has the deviation 0, an int. An infinite value makes it NaN.
 */
function deviation(sample: boolean): Deviation {
  const sum = doubleDouble();
  const squares = doubleDouble();
  let count = 0;
  let infinite = 0;
  const reset = (): void => {
    sum.reset();
    squares.reset();
    count = 0;
    infinite = 0;
  };
  const update = (value: Maybe, by: 1 | -1): void => {
    if (!isNumeric(value)) return;
    if (value instanceof Decimal) throw unsupported("the standard deviation of decimals in a window");
    const x = toNumber(value);
    if (!Number.isFinite(x)) {
      infinite += by;
      count += by;
    } else if (count === 0) {
      count = 1;
      sum.add(x);
    } else if (count + by === 0) reset();
    else {
      const distance = count * x - sum.value();
      count += by;
      sum.add(x * by);
      squares.add((distance * distance * by) / (count * (count - by)));
    }
  };
  return {
    add: (value) => update(value, 1),
    remove: (value) => update(value, -1),
    reset,
    value() {
      if (infinite > 0) return Number.NaN;
      const divisor = sample ? count - 1 : count;
      if (divisor === 0) return null;
      if (squares.value() < 0 || (!sample && count === 1)) {
        squares.reset();
        return 0;
      }
      // For an empty window MongoDB returns -0 for a sample.
      return double(Math.sqrt(squares.value() / divisor));
    },
  };
}

/** `$stdDevPop` and `$stdDevSamp` over windows that do not begin at the start of their partition. */
export function movingDeviation(name: string, argument: Value, window: Window, scope: PipelineScope) {
  if (Array.isArray(argument) && argument.length !== 1)
    throw new MongoFault("Location40237", `The ${name} accumulator is a unary operator`);
  const expr: Expr = compile(Array.isArray(argument) ? (argument[0] as Value) : argument, scope.evaluation.scope);
  return function* (partition: Partition, frame: Frame): Coroutine<Value[]> {
    const values = yield* valuesOf(partition, expr, frame);
    const results: Value[] = [];
    const state = deviation(name === "$stdDevSamp");
    let [from, to] = [0, 0];
    for (let i = 0; i < values.length; i++) {
      if (shouldYield()) yield;
      const end = Math.max(endOf(partition, window, i), to);
      const start = Math.max(Math.min(startOf(partition, window, i), end), from);
      if (start >= to) {
        state.reset();
        for (let k = start; k < end; k++) state.add(values[k]);
      } else {
        for (let k = to; k < end; k++) state.add(values[k]);
        for (let k = from; k < start; k++) state.remove(values[k]);
      }
      countWork(end - to + start - from);
      [from, to] = [start, end];
      results.push(state.value());
    }
    return results;
  };
}

function* valuesOf({ docs }: Partition, expr: Expr, frame: Frame): Coroutine<Maybe[]> {
  const values: Maybe[] = [];
  for (const doc of docs) {
    if (shouldYield()) yield;
    frame[0] = doc;
    values.push(expr(frame));
  }
  return values;
}
