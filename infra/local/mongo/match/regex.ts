import { badValue, MongoFault } from "../fault.ts";
import { rewriteOrderedPieces } from "./ordered-pieces.ts";
import { characterClass } from "./regex-classes.ts";
import { escaped, type Piece, refuse } from "./regex-escapes.ts";

const compiled = new Map<string, RegExp>();

/**
 * A Perl-compatible expression as a JavaScript one with the same meaning, or a refusal. The engines differ in small
 * ways (what `$`, `.` and `\s` mean, what may be escaped), so the pattern is rewritten piece by piece.
 */
export function toRegExp(pattern: string, flags: string, javascriptFlags = ""): RegExp {
  const key = `${flags}/${javascriptFlags}/${pattern}`;
  let regexp = compiled.get(key);
  if (regexp === undefined) {
    regexp = translate(pattern, flags, javascriptFlags);
    if (compiled.size > 1000) compiled.clear();
    compiled.set(key, regexp);
  }
  regexp.lastIndex = 0;
  return regexp;
}

interface Options {
  ignoreCase: boolean;
  multiline: boolean;
  dotAll: boolean;
  extended: boolean;
}

function translate(pattern: string, flags: string, javascriptFlags: string): RegExp {
  for (const flag of flags)
    if (!"imsxu".includes(flag)) throw new MongoFault(51108, `invalid flag in regex options: ${flag}`);
  if (pattern.includes("\0")) throw badValue("Regular expression cannot contain an embedded null byte");
  const options: Options = {
    ignoreCase: flags.includes("i"),
    multiline: flags.includes("m"),
    dotAll: flags.includes("s"),
    extended: flags.includes("x"),
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
  // JavaScript has no atomic groups, but its lookaheads are never tried again.
  const known = rewriteOrderedPieces(rest, (piece, index) => `(?=(?<piece${index}>${piece}))\\k<piece${index}>`);
  const source = rewrite(known, options);
  try {
    return new RegExp(source, `u${options.ignoreCase ? "i" : ""}${javascriptFlags}`);
  } catch {
    throw new MongoFault(51091, `Regular expression is invalid: ${pattern}`);
  }
}

const quantifier = /^(?:[*+?]|\{\d+(?:,\d*)?\})/;

function rewrite(pattern: string, options: Options): string {
  let out = "";
  for (let i = 0; i < pattern.length; ) {
    const [text, length] = pieceOf(pattern.slice(i), options);
    out += text;
    i += length;
  }
  return out;
}

function pieceOf(rest: string, options: Options): Piece {
  const repeat = quantifier.exec(rest);
  if (repeat !== null) return quantified(repeat[0], rest[repeat[0].length]);
  const char = String.fromCodePoint(rest.codePointAt(0) as number);
  if (char === "\\") return escaped(rest, false);
  if (char === "[") return characterClass(rest);
  if (char === "(") return group(rest);
  if (options.extended && /\s/.test(char)) return ["", 1];
  if (options.extended && char === "#") return ["", rest.indexOf("\n") + 1 || rest.length];
  return [plain(char, options), char.length];
}

function quantified(text: string, after: string | undefined): Piece {
  if (after === "+") throw refuse("possessive quantifiers");
  return after === "?" ? [`${text}?`, text.length + 1] : [text, text.length];
}

function plain(char: string, options: Options): string {
  switch (char) {
    case ".":
      return options.dotAll ? "[\\s\\S]" : "[^\\n]";
    case "$":
      return options.multiline ? "(?=\\n|(?![\\s\\S]))" : "(?=\\n?(?![\\s\\S]))";
    case "^":
      return options.multiline ? "(?:(?<![\\s\\S])|(?<=\\n)(?=[\\s\\S]))" : "^";
    case "{":
    case "}":
    case "]":
      return `\\${char}`;
    default:
      return char;
  }
}

function group(rest: string): Piece {
  if (rest.startsWith("(*")) throw refuse("backtracking verbs");
  if (rest[1] !== "?") return ["(", 1];
  const simple = /^\(\?(?::|=|!|<=|<!|<[A-Za-z_]\w*>)/.exec(rest);
  if (simple !== null) return [simple[0], simple[0].length];
  const python = /^\(\?P<([A-Za-z_]\w*)>/.exec(rest);
  if (python !== null) return [`(?<${python[1]}>`, python[0].length];
  const reference = /^\(\?P=(\w+)\)/.exec(rest);
  if (reference !== null) return [`\\k<${reference[1]}>`, reference[0].length];
  const comment = /^\(\?#[^)]*\)/.exec(rest);
  if (comment !== null) return ["", comment[0].length];
  const ignoring = /^\(\?(i|-i):/.exec(rest);
  if (ignoring !== null) return [ignoring[0], ignoring[0].length];
  throw refuse(`the group ${rest.slice(0, 4)}`);
}
