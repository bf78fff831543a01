import { accumulatorExpressions } from "./accumulator-operators.ts";
import { arithmeticOperators } from "./arithmetic.ts";
import { arrayOperators } from "./arrays.ts";
import type { Operator } from "./compile.ts";
import { logicOperators } from "./logic.ts";
import { conversionOperators } from "./conversion.ts";
import { dateOperators } from "./dates.ts";
import { dateArithmeticOperators } from "./date-arithmetic.ts";
import { iterationOperators } from "./iteration.ts";
import { mathOperators } from "./mathematics.ts";
import { objectOperators } from "./objects.ts";
import { regexOperators } from "./regexes.ts";
import { setOperators } from "./sets.ts";
import { stringOperators } from "./strings.ts";

let registry: ReadonlyMap<string, Operator> | undefined;

/** Built on first use: the operator modules themselves compile expressions, so they cannot be read while loading. */
export function expressionOperators(): ReadonlyMap<string, Operator> {
  registry ??= new Map(
    Object.entries({
      ...accumulatorExpressions,
      ...arithmeticOperators,
      ...arrayOperators,
      ...conversionOperators,
      ...dateOperators,
      ...dateArithmeticOperators,
      ...iterationOperators,
      ...logicOperators,
      ...mathOperators,
      ...objectOperators,
      ...regexOperators,
      ...setOperators,
      ...stringOperators,
    }),
  );
  return registry;
}
