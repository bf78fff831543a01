import { MongoFault } from "../fault.ts";
import { toRegExp } from "../match/regex.ts";
import { Doc } from "../values/document.ts";
import { typeName } from "../values/type-names.ts";
import { type Maybe, Regex, type Value } from "../values/types.ts";
import { compile, type Frame, fold, isNullish, type Operator } from "./compile.ts";
import { namedArguments } from "./operands.ts";

interface Parts {
  readonly input: string;
  readonly regexp: RegExp;
}

function matching(finish: (parts: Parts | undefined) => Value): Operator {
  return (argument, scope, name) => {
    const args = namedArguments(name, argument, ["input", "regex"], ["options"]);
    const input = compile(args.get("input") as Value, scope);
    const regex = compile(args.get("regex") as Value, scope);
    const optionsSpec = args.get("options");
    const options = optionsSpec === undefined ? undefined : compile(optionsSpec, scope);
    const evaluate = (frame: Frame): Value => {
      const text = input(frame);
      const pattern = patternOf(name, regex(frame), options?.(frame));
      if (isNullish(text) || pattern === undefined) return finish(undefined);
      if (typeof text !== "string") throw new MongoFault(51104, `${name} needs 'input' to be of type string`);
      return finish({ input: text, regexp: pattern });
    };
    return fold([input, regex, ...(options === undefined ? [] : [options])], evaluate);
  };
}

function patternOf(name: string, regex: Maybe, options: Maybe): RegExp | undefined {
  if (!isNullish(options) && typeof options !== "string")
    throw new MongoFault(51106, `${name} needs 'options' to be of type string`);
  if (isNullish(regex)) return undefined;
  if (regex instanceof Regex) {
    if (options && regex.flags !== "")
      throw new MongoFault(51107, `${name}: found regex option(s) specified in both 'regex' and 'option' fields`);
    return toRegExp(regex.pattern, options || regex.flags, "g");
  }
  if (typeof regex !== "string")
    throw new MongoFault(51105, `${name} needs 'regex' to be of type string or regex, not ${typeName(regex)}`);
  return toRegExp(regex, options ?? "", "g");
}

function found(match: RegExpExecArray): Doc {
  const before = match.input.slice(0, match.index);
  return Doc.of(
    ["match", "idx", "captures"],
    [match[0], [...before].length, match.slice(1).map((capture: string | undefined) => capture ?? null)],
  );
}

export const regexOperators: Record<string, Operator> = {
  $regexMatch: matching((parts) => parts?.regexp.test(parts.input) ?? false),
  $regexFind: matching((parts) => {
    const match = parts?.regexp.exec(parts.input);
    return match ? found(match) : null;
  }),
  $regexFindAll: matching((parts) => (parts === undefined ? [] : [...parts.input.matchAll(parts.regexp)].map(found))),
};
