import { badValue, MongoFault } from "../fault.ts";

export const refuse = (what: string): MongoFault =>
  badValue(`$regex with ${what} is not supported by the embedded database`);

/** A piece of the result and how many characters of the pattern it stands for. */
export type Piece = readonly [text: string, length: number];

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
export function escaped(rest: string, inClass: boolean): Piece {
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
