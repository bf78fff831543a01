import { badValue, MongoFault } from "../fault.ts";

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
  const source = rewrite(rest, options);
  try {
    return new RegExp(source, `u${options.ignoreCase ? "i" : ""}${javascriptFlags}`);
  } catch {
    throw new MongoFault(51091, `Regular expression is invalid: ${pattern}`);
  }
}

const refuse = (what: string): MongoFault => badValue(`$regex with ${what} is not supported by the embedded database`);

const quantifier = /^(?:[*+?]|\{\d+(?:,\d*)?\})/;

/** A piece of the result and how many characters of the pattern it stands for. */
type Piece = readonly [text: string, length: number];

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

const fixedEscapes: Record<string, string> = {
  A: "(?<![\\s\\S])",
  z: "(?![\\s\\S])",
  Z: "(?=\\n?(?![\\s\\S]))",
  R: "(?:\\r\\n|[\\n\\v\\f\\r\\x85\\u2028\\u2029])",
  N: "[^\\n]",
};

const classEscapes: Record<string, string> = {
  s: "\\t\\n\\v\\f\\r ",
  h: "\\t \\xa0\\u1680\\u180e\\u2000-\\u200a\\u202f\\u205f\\u3000",
  v: "\\n\\v\\f\\r\\x85\\u2028\\u2029",
};

/** The translation of an escape at the start of `rest`. */
function escaped(rest: string, inClass: boolean): Piece {
  const char = rest[1];
  if (char === undefined) throw new MongoFault(51091, "Regular expression is invalid: \\ at end of pattern");
  return letterEscape(char, inClass) ?? longEscape(rest, char, inClass) ?? literalEscape(rest, char, inClass);
}

function letterEscape(char: string, inClass: boolean): Piece | undefined {
  if (char === "E") return ["", 2];
  const set = classEscapes[char];
  if (set !== undefined) return [inClass ? set : `[${set}]`, 2];
  const negated = classEscapes[char.toLowerCase()];
  if (negated !== undefined) {
    if (inClass) throw refuse(`\\${char} in a character class`);
    return [`[^${negated}]`, 2];
  }
  const fixed = inClass ? undefined : fixedEscapes[char];
  if (fixed !== undefined) return [fixed, 2];
  if ("dDwWbBtnrf".includes(char)) return [`\\${char}`, 2];
  if (char === "e") return ["\\x1b", 2];
  return char === "a" ? ["\\x07", 2] : undefined;
}

function longEscape(rest: string, char: string, inClass: boolean): Piece | undefined {
  if (char === "Q") return quoted(rest, inClass);
  const hex = /^\\x(?:\{([0-9a-fA-F]{1,6})\}|([0-9a-fA-F]{1,2}))/.exec(rest);
  if (hex !== null) return [`\\u{${hex[1] ?? hex[2]}}`, hex[0].length];
  const property = /^\\[pP](?:\{\^?[\w&]+\}|[A-Z])/.exec(rest);
  if (property !== null) return [property[0].replace(/^(\\[pP])([A-Z])$/, "$1{$2}"), property[0].length];
  if (inClass) return undefined;
  if (/^\\[1-9]\d/.test(rest)) throw refuse("octal escapes or references above 9");
  if (/[1-9]/.test(char)) return [`\\${char}`, 2];
  const named = /^\\k(?:<(\w+)>|\{(\w+)\}|'(\w+)')/.exec(rest);
  return named === null ? undefined : [`\\k<${named[1] ?? named[2] ?? named[3]}>`, named[0].length];
}

/** \Q…\E: everything between stands for itself. */
function quoted(rest: string, inClass: boolean): Piece {
  const end = rest.indexOf("\\E");
  const literal = rest.slice(2, end < 0 ? undefined : end).replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
  return [inClass ? literal.replaceAll("-", "\\-") : literal, end < 0 ? rest.length : end + 2];
}

function literalEscape(rest: string, char: string, inClass: boolean): Piece {
  if (/\w/.test(char)) throw refuse(`\\${char}`);
  if ("^$\\.*+?()[]{}|/".includes(char)) return [`\\${char}`, 2];
  if (char === "-") return [inClass ? "\\-" : "-", 2];
  const point = String.fromCodePoint(rest.codePointAt(1) as number);
  return [point, 1 + point.length];
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

const posix: Record<string, string> = {
  alpha: "A-Za-z",
  digit: "0-9",
  alnum: "A-Za-z0-9",
  upper: "A-Z",
  lower: "a-z",
  space: "\\t\\n\\v\\f\\r ",
  blank: "\\t ",
  punct: "!-\\/:-@\\[-`\\{-~",
  xdigit: "0-9A-Fa-f",
  word: "\\w",
  cntrl: "\\x00-\\x1f\\x7f",
  print: "\\x20-\\x7e",
  graph: "\\x21-\\x7e",
};

function characterClass(text: string): Piece {
  let i = 1;
  let out = "[";
  if (text[i] === "^") {
    out += "^";
    i++;
  }
  const first = i;
  let previousIsSet = false;
  for (; i < text.length; ) {
    const rest = text.slice(i);
    const char = text[i] as string;
    if (char === "]" && i > first) return [`${out}]`, i + 1];
    const named = /^\[:(\w+):\]/.exec(rest);
    if (named !== null) {
      const set = posix[named[1] as string];
      if (set === undefined) throw refuse(`the class ${named[0]}`);
      out += set;
      i += named[0].length;
      previousIsSet = true;
    } else if (/^\[[:.=^]/.test(rest) && rest[1] !== "^") throw refuse(`the class ${rest.slice(0, 3)}`);
    else if (char === "\\") {
      const [translated, length] = escaped(rest, true);
      out += translated;
      i += length;
      previousIsSet = /^\\[dDwWpPshv]/.test(rest);
    } else if (char === "-") {
      // A hyphen is itself at either end and beside a set; between two characters it makes a range.
      const literal = i === first || text[i + 1] === "]" || previousIsSet || /^-(?:\\[dDwWsShvpP]|\[:)/.test(rest);
      out += literal ? "\\-" : "-";
      i++;
      previousIsSet = false;
    } else {
      out += "[](){}/|".includes(char) ? `\\${char}` : char;
      i++;
      previousIsSet = false;
    }
  }
  throw new MongoFault(51091, "Regular expression is invalid: missing terminating ] for character class");
}
