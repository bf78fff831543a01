import { countWork } from "../foundation/budget.ts";
import { MongoFault } from "../foundation/fault.ts";
import { isNullish } from "../values/numbers.ts";
import { typeName } from "../values/type-names.ts";
import type { Value } from "../values/types.ts";
import { compile, fold, type Operator } from "./compile.ts";
import { namedArguments } from "./operands.ts";

export const zipOperators: Record<string, Operator> = {
  $zip(argument, scope, name) {
    const args = namedArguments(name, argument, ["inputs"], ["useLongestLength", "defaults"]);
    const inputs = args.get("inputs");
    if (!Array.isArray(inputs) || inputs.length === 0)
      throw new MongoFault("Location34461", "inputs must be a non-empty array of expressions");
    const lists = inputs.map((input) => compile(input, scope));
    const longest = args.get("useLongestLength") === true;
    const defaultsSpec = args.get("defaults");
    if (defaultsSpec !== undefined && !longest)
      throw new MongoFault("Location34466", "cannot specify defaults unless useLongestLength is true");
    if (defaultsSpec !== undefined && !Array.isArray(defaultsSpec))
      throw new MongoFault("Location34462", "defaults must be an array of expressions");
    if (defaultsSpec !== undefined && defaultsSpec.length !== inputs.length)
      throw new MongoFault("Location34467", "defaults and inputs must have the same length");
    const defaults = (defaultsSpec ?? []).map((value) => compile(value, scope));
    return fold([...lists, ...defaults], (frame) => {
      const values = lists.map((list) => list(frame));
      if (values.some(isNullish)) return null;
      for (const value of values)
        if (!Array.isArray(value))
          throw new MongoFault("Location34468", `$zip found a non-array expression in input: ${typeName(value)}`);
      const arrays = values as Value[][];
      const lengths = arrays.map((array) => array.length);
      const length = longest ? Math.max(...lengths) : Math.min(...lengths);
      const fill = defaults.map((value) => value(frame) ?? null);
      countWork(length * (1 + arrays.length));
      return Array.from({ length }, (_, i) =>
        arrays.map((array, k) => (i < array.length ? (array[i] as Value) : (fill[k] ?? null))),
      );
    });
  },
};
