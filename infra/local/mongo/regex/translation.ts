import { countWork } from "../foundation/budget.ts";
import { MongoFault } from "../foundation/fault.ts";
import { characterClass } from "./classes.ts";
import { escaped, refuse } from "./escapes.ts";
import { isHead, isTail, type Token } from "./positions.ts";
import type { GroupKind } from "./search.ts";

interface Options {
  ignoreCase: boolean;
  multiline: boolean;
  dotAll: boolean;
  extended: boolean;
  /** There is a `^` that matches at the start of each line. */
  startsLines: boolean;
}

interface Translation {
  /** The pattern in RE2's syntax for tests without a match. */
  readonly tested: string;
  /** The same with groups that capture the line feed after a `$`. */
  readonly searched: string;
  readonly groups: readonly GroupKind[];
  readonly options: Options;
}

/**
 * Translates a Perl-compatible expression to RE2's syntax with the same meaning, or refuses it. The two differ in
 * details (the meaning of `$`, `.` and `\s`, allowed escapes), so the pattern is rewritten token by token.
 */
export function translate(pattern: string, flags: string): Translation {
  const options: Options = {
    ignoreCase: flags.includes("i"),
    multiline: flags.includes("m"),
    dotAll: flags.includes("s"),
    extended: flags.includes("x"),
    startsLines: false,
  };
  let rest = pattern;
  for (let inline = /^\(\?([imsx]+)\)/.exec(rest); inline !== null; inline = /^\(\?([imsx]+)\)/.exec(rest)) {
    const letters = inline[1] as string;
    options.ignoreCase ||= letters.includes("i");
    options.multiline ||= letters.includes("m");
    options.dotAll ||= letters.includes("s");
    options.extended ||= letters.includes("x");
    rest = rest.slice(inline[0].length);
  }
  // Atomic groups matter only to engines that backtrack. A LIKE pattern means the same without them.
  const tokens = tokensOf(
    rewriteOrderedPieces(rest, (piece) => `(?:${piece})`),
    options,
  );
  const groups: GroupKind[] = [];
  let tested = "";
  let searched = "";
  tokens.forEach((token, i) => {
    if (token.captures === true) groups.push("own");
    if (token.kind === "end" || token.kind === "lineStart") countWork(tokens.length);
    if (token.kind === "end") {
      if (!isTail(tokens, i)) throw refuse("a $ that is not at the end");
      groups.push("lastLineFeed");
      tested += "(?:\\n?\\z)";
      searched += "(\\n?)\\z";
      return;
    }
    if (token.kind === "lineStart") {
      if (!isHead(tokens, i)) throw refuse("a ^ that is not at the start, with option m");
      options.startsLines = true;
    }
    tested += token.text;
    searched += token.text;
  });
  return { tested, searched: groups.includes("lastLineFeed") ? searched : tested, groups, options };
}

function tokensOf(pattern: string, options: Options): Token[] {
  const tokens: Token[] = [];
  for (let i = 0; i < pattern.length; ) {
    // Every construct reads as much of the rest as it needs.
    const [token, length] = tokenAt(pattern.slice(i), options);
    if (token.kind !== "nothing") tokens.push(token);
    i += length;
  }
  return tokens;
}

const quantifier = /^(?:[*+?]|\{(\d+)(?:,(\d*))?\})/;
const largestRepetition = 1000;

function tokenAt(rest: string, options: Options): [Token, number] {
  const repeat = quantifier.exec(rest);
  if (repeat !== null) return quantified(repeat, rest[repeat[0].length]);
  const char = String.fromCodePoint(rest.codePointAt(0) as number);
  if (char === "\\") {
    if (rest[1] === "Z") return [{ kind: "end", text: "" }, 2];
    const [text, length] = escaped(rest, false);
    return [{ kind: "atom", text }, length];
  }
  if (char === "[") {
    const [text, length] = characterClass(rest);
    return [{ kind: "atom", text }, length];
  }
  if (char === "(") return groupAt(rest, options);
  if (char === ")") return [{ kind: "close", text: ")" }, 1];
  if (char === "|") return [{ kind: "bar", text: "|" }, 1];
  if (options.extended && /\s/.test(char)) return [{ kind: "nothing", text: "" }, 1];
  if (options.extended && char === "#") return [{ kind: "nothing", text: "" }, rest.indexOf("\n") + 1 || rest.length];
  return [plain(char, options), char.length];
}

function quantified(repeat: RegExpExecArray, after: string | undefined): [Token, number] {
  const [text, least, most] = repeat as unknown as [string, string | undefined, string | undefined];
  if (after === "+") throw refuse("possessive quantifiers");
  for (const count of [least, most]) {
    if (Number(count ?? 0) > 65_535)
      throw new MongoFault("Location51091", "Regular expression is invalid: number too big in {} quantifier");
    if (Number(count ?? 0) > largestRepetition)
      throw refuse(`a repetition of more than ${largestRepetition} times (${text})`);
  }
  const lazy = after === "?" ? "?" : "";
  return [{ kind: "quantifier", text: `${text}${lazy}` }, text.length + lazy.length];
}

function plain(char: string, options: Options): Token {
  switch (char) {
    case ".":
      return { kind: "atom", text: options.dotAll ? "(?s:.)" : "[^\\n]" };
    case "$":
      return options.multiline ? { kind: "atom", text: "(?m:$)" } : { kind: "end", text: "" };
    case "^":
      return options.multiline ? { kind: "lineStart", text: "(?m:^)" } : { kind: "start", text: "\\A" };
    case "{":
    case "}":
    case "]":
      return { kind: "atom", text: `\\${char}` };
    default:
      return { kind: "atom", text: char };
  }
}

/** One character: any (`.`), a literal one, or an escaped one. Never a quantifier, a group or a class. */
const character = "(?:\\.|\\\\[^A-Za-z0-9]|[^\\\\^$.*+?()[\\]{}|])";
const form = new RegExp(
  `^\\^${character}*(?:\\(\\?>\\.\\*\\?${character}+\\))+(?:\\.\\*${character}+(?:\\\\z)?)?$`,
  "s",
);
const group = /\(\?>(\.\*\?(?:\\.|[^\\)])+)\)/gs;

/**
 * Rewrites the atomic groups of `^a(?>.*?b)(?>.*?c).*d\z`, which tests whether literal texts occur in this order. Any
 * other pattern is returned as it is. Each literal has a fixed number of characters, so its first occurrence suffices,
 * and a plain group matches the same texts as the atomic one.
 */
const rewriteOrderedPieces = (pattern: string, write: (piece: string, index: number) => string): string => {
  if (!form.test(pattern)) return pattern;
  let index = 0;
  return pattern.replace(group, (_, piece: string) => write(piece, ++index));
};

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

/** The token for text that begins with a parenthesis. */
function groupAt(rest: string, options: Dots): [Token, number] {
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
