import { MongoFault } from "../foundation/fault.ts";
import { charge } from "../foundation/pace.ts";
import { characterClass } from "./classes.ts";
import { escaped, refuse } from "./escapes.ts";
import { groupAt } from "./groups.ts";
import { rewriteOrderedPieces } from "./ordered-pieces.ts";
import { isHead, isTail, type Token } from "./places.ts";
import type { GroupKind } from "./search.ts";

interface Options {
  ignoreCase: boolean;
  multiline: boolean;
  dotAll: boolean;
  extended: boolean;
  /** There is a `^` that matches at the start of every line. */
  startsLines: boolean;
}

interface Translation {
  /** The pattern in RE2's syntax where only the answer counts. */
  readonly tested: string;
  /** The same with groups that tell what a `$` took. */
  readonly searched: string;
  readonly groups: readonly GroupKind[];
  readonly options: Options;
}

/**
 * A Perl-compatible expression in RE2's syntax with the same meaning, or a refusal. The two differ in small ways (what `$`,
 * `.` and `\s` mean, what may be escaped), so the pattern is rewritten piece by piece.
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
  // Atomic groups are for engines that backtrack: a LIKE of several pieces means the same without.
  const tokens = tokensOf(
    rewriteOrderedPieces(rest, (piece) => `(?:${piece})`),
    options,
  );
  const groups: GroupKind[] = [];
  let tested = "";
  let searched = "";
  tokens.forEach((token, i) => {
    if (token.captures === true) groups.push("own");
    if (token.kind === "end" || token.kind === "lineStart") charge(tokens.length);
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
    // Enough for every construct of fixed length; what has none looks at the whole rest itself.
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
