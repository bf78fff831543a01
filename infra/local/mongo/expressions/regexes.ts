import { MongoFault } from "../foundation/fault.ts";
import { type Pattern, patternOf } from "../regex/regex.ts";
import type { RegexMatch } from "../regex/search.ts";
import { Doc } from "../values/document.ts";
import { isNullish } from "../values/numbers.ts";
import { typeName } from "../values/type-names.ts";
import { type Maybe, Regex, type Value } from "../values/types.ts";
import { compile, type Frame, fold, type Operator } from "./compile.ts";
import { namedArguments } from "./operands.ts";

interface Parts {
  readonly input: string;
  readonly pattern: Pattern;
}

function matching(finish: (parts: Parts | undefined) => Value): Operator {
  return (argument, scope, name) => {
    const args = namedArguments(name, argument, ["input", "regex"], ["options"]);
    const input = compile(args.get("input") as Value, scope);
    const regex = compile(args.get("regex") as Value, scope);
    const optionsSpec = args.get("options");
    const options = optionsSpec === undefined ? undefined : compile(optionsSpec, scope);
    const isConstant = regex.isConstant === true && (options === undefined || options.isConstant === true);
    let known: Pattern | undefined;
    const evaluate = (frame: Frame): Value => {
      const text = input(frame);
      const pattern = known ?? operandsOf(name, regex(frame), options?.(frame));
      if (isConstant) known = pattern;
      if (isNullish(text) || pattern === undefined) return finish(undefined);
      if (typeof text !== "string") throw new MongoFault("Location51104", `${name} needs 'input' to be of type string`);
      return finish({ input: text, pattern });
    };
    return fold([input, regex, ...(options === undefined ? [] : [options])], evaluate);
  };
}

function operandsOf(name: string, regex: Maybe, options: Maybe): Pattern | undefined {
  if (!isNullish(options) && typeof options !== "string")
    throw new MongoFault("Location51106", `${name} needs 'options' to be of type string`);
  if (isNullish(regex)) return undefined;
  if (regex instanceof Regex) {
    if (options && regex.flags !== "")
      throw new MongoFault(
        "Location51107",
        `${name}: found regex option(s) specified in both 'regex' and 'option' fields`,
      );
    return patternOf(regex.pattern, options || regex.flags);
  }
  if (typeof regex !== "string")
    throw new MongoFault(
      "Location51105",
      `${name} needs 'regex' to be of type string or regex, not ${typeName(regex)}`,
    );
  return patternOf(regex, options ?? "");
}

/**
 * Positions count code points. Counting continues from the match before, so that all matches together read the text
 * once.
 */
function shown({ input, pattern }: Parts, everywhere: boolean): Doc[] {
  let index = 0;
  let at = 0;
  return pattern.find(input, everywhere).map(({ start, end, groups }: RegexMatch) => {
    for (; at < start; at++) if (!isLowSurrogate(input.charCodeAt(at))) index++;
    const captures = groups.map((capture) => capture ?? null);
    return Doc.of(["match", "idx", "captures"], [input.slice(start, end), index, captures]);
  });
}

const isLowSurrogate = (code: number): boolean => code >= 0xdc00 && code <= 0xdfff;

export const regexOperators: Record<string, Operator> = {
  $regexMatch: matching((parts) => parts?.pattern.test(parts.input) ?? false),
  $regexFind: matching((parts) => (parts === undefined ? null : (shown(parts, false)[0] ?? null))),
  $regexFindAll: matching((parts) => (parts === undefined ? [] : shown(parts, true))),
};
