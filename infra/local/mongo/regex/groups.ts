import { refuse } from "./escapes.ts";
import type { Token } from "./places.ts";

interface Dots {
  readonly dotAll: boolean;
}

const refusals: readonly (readonly [RegExp, string])[] = [
  [/^\(\*/, "backtracking verbs"],
  [/^\(\?=/, "look-ahead (?="],
  [/^\(\?!/, "look-ahead (?!"],
  [/^\(\?<=/, "look-behind (?<="],
  [/^\(\?<!/, "look-behind (?<!"],
  [/^\(\?>/, "the atomic group (?>"],
  [/^\(\?P=/, "back-references"],
  [/^\(\?\|/, "the branch reset (?|"],
  [/^\(\?(?:R|[+-]?\d|&|P>)/, "recursion"],
  [/^\(\?\(/, "conditional groups"],
];

/** The token for what begins with a parenthesis. */
export function groupAt(rest: string, options: Dots): [Token, number] {
  // "Not followed by any character": the end of the text, or of a line.
  if (rest.startsWith("(?!.)")) return [{ kind: "atom", text: options.dotAll ? "\\z" : "(?m:$)" }, 5];
  for (const [form, name] of refusals) if (form.test(rest)) throw refuse(name);
  if (rest[1] !== "?") return [{ kind: "open", text: "(", captures: true }, 1];
  const named = /^\(\?P?<([A-Za-z_]\w*)>/.exec(rest);
  if (named !== null) return [{ kind: "open", text: `(?P<${named[1]}>`, captures: true }, named[0].length];
  const comment = /^\(\?#[^)]*\)/.exec(rest);
  if (comment !== null) return [{ kind: "nothing", text: "" }, comment[0].length];
  const open = /^\(\?(?:i|-i)?:/.exec(rest);
  if (open !== null) return [{ kind: "open", text: open[0] }, open[0].length];
  throw refuse(`the group ${rest.slice(0, 4)}`);
}
