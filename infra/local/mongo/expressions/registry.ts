import { accumulatorExpressions } from "./accumulator-operators.ts";
import { arithmeticOperators } from "./arithmetic.ts";
import { arrayOperators } from "./arrays.ts";
import { registerOperators } from "./compile.ts";
import { conversionOperators } from "./conversion.ts";
import { dateArithmeticOperators } from "./date-arithmetic.ts";
import { dateOperators } from "./dates.ts";
import { iterationOperators } from "./iteration.ts";
import { logicOperators } from "./logic.ts";
import { mathOperators } from "./mathematics.ts";
import { objectOperators } from "./objects.ts";
import { pairOperators } from "./pairs.ts";
import { regexOperators } from "./regexes.ts";
import { setOperators } from "./sets.ts";
import { stringOperators } from "./strings.ts";
import { substringOperators } from "./substrings.ts";
import { zipOperators } from "./zip.ts";

const groups = [
  accumulatorExpressions,
  arithmeticOperators,
  arrayOperators,
  conversionOperators,
  dateOperators,
  dateArithmeticOperators,
  iterationOperators,
  logicOperators,
  mathOperators,
  objectOperators,
  pairOperators,
  regexOperators,
  setOperators,
  stringOperators,
  substringOperators,
  zipOperators,
];

/** Registers all expression operators. Must run before the first expression is compiled. */
export function installExpressions(): void {
  for (const group of groups) registerOperators(group);
}
