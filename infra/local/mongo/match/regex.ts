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

function rewrite(pattern: string, options: Options): string {
  let out = "";
  let i = 0;
  while (i < pattern.length) {
    const rest = pattern.slice(i);
    const char = pattern[i] as string;
    const repeat = quantifier.exec(rest);
    if (repeat !== null) {
      const after = pattern[i + repeat[0].length];
      if (after === "+") throw refuse("possessive quantifiers");
      out += repeat[0];
      i += repeat[0].length;
      if (after === "?") {
        out += "?";
        i++;
      }
    } else if (char === "\\") {
      const [text, length] = escape(rest, false);
      out += text;
      i += length;
    } else if (char === "[") {
      const [text, length] = characterClass(rest);
      out += text;
      i += length;
    } else if (char === "(") {
      const [text, length] = group(rest);
      out += text;
      i += length;
    } else if (options.extended && /\s/.test(char)) i++;
    else if (options.extended && char === "#") {
      const end = pattern.indexOf("\n", i);
      i = end < 0 ? pattern.length : end + 1;
    } else {
      out += plain(char, options);
      if (char >= "\ud800" && char <= "\udbff") out += pattern[++i] ?? "";
      i++;
    }
  }
  return out;
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

/** The translation of an escape at the start of `rest`, and how many characters it takes. */
function escape(rest: string, inClass: boolean): [string, number] {
  const char = rest[1];
  if (char === undefined) throw new MongoFault(51091, "Regular expression is invalid: \\ at end of pattern");
  if (char === "Q") {
    const end = rest.indexOf("\\E");
    const literal = rest.slice(2, end < 0 ? undefined : end);
    return [
      literal.replace(/[\\^$.*+?()[\]{}|/-]/g, (c) => (c === "-" ? (inClass ? "\\-" : "-") : `\\${c}`)),
      end < 0 ? rest.length : end + 2,
    ];
  }
  if (char === "E") return ["", 2];
  const set = classEscapes[char];
  if (set !== undefined) return [inClass ? set : `[${set}]`, 2];
  const negated = char === char.toUpperCase() ? classEscapes[char.toLowerCase()] : undefined;
  if (negated !== undefined) {
    if (inClass) throw refuse(`\\${char} in a character class`);
    return [`[^${negated}]`, 2];
  }
  if (!inClass && fixedEscapes[char] !== undefined) return [fixedEscapes[char], 2];
  if ("dDwW".includes(char)) return [`\\${char}`, 2];
  if ("bB".includes(char)) return [`\\${char}`, 2];
  if ("tnrf".includes(char)) return [`\\${char}`, 2];
  if (char === "e") return ["\\x1b", 2];
  if (char === "a") return ["\\x07", 2];
  const hex = /^\\x(?:\{([0-9a-fA-F]{1,6})\}|([0-9a-fA-F]{1,2}))/.exec(rest);
  if (hex !== null) return [`\\u{${hex[1] ?? hex[2]}}`, hex[0].length];
  const property = /^\\[pP](?:\{\^?[\w&]+\}|[A-Z])/.exec(rest);
  if (property !== null) return [property[0].replace(/^(\\[pP])([A-Z])$/, "$1{$2}"), property[0].length];
  if (!inClass && char >= "1" && char <= "9") {
    if (/^\\\d\d/.test(rest)) throw refuse("octal escapes or references above 9");
    return [`\\${char}`, 2];
  }
  const named = inClass ? null : /^\\k(?:<(\w+)>|\{(\w+)\}|'(\w+)')/.exec(rest);
  if (named !== null) return [`\\k<${named[1] ?? named[2] ?? named[3]}>`, named[0].length];
  if (/\w/.test(char)) throw refuse(`\\${char}`);
  if ("^$\\.*+?()[]{}|/".includes(char)) return [`\\${char}`, 2];
  if (char === "-") return [inClass ? "\\-" : "-", 2];
  const point = String.fromCodePoint(rest.codePointAt(1) as number);
  return [point, 1 + point.length];
}

function group(rest: string): [string, number] {
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

function characterClass(text: string): [string, number] {
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
      const [translated, length] = escape(rest, true);
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
