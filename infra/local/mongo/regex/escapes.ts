import { badValue, MongoFault } from "../foundation/fault.ts";

export const refuse = (what: string): MongoFault =>
  badValue(`$regex with ${what} is not supported by the embedded database`);

/** A part of the translated pattern, and the number of characters of the original that it replaces. */
export type Translated = readonly [text: string, length: number];

const fixedEscapes: Record<string, string> = { A: "\\A", z: "\\z", N: "[^\\n]" };

const classEscapes: Record<string, string> = {
  s: "\\t\\n\\v\\f\\r ",
  h: "\\t \\x{a0}\\x{1680}\\x{180e}\\x{2000}-\\x{200a}\\x{202f}\\x{205f}\\x{3000}",
  v: "\\n\\v\\f\\r\\x{85}\\x{2028}\\x{2029}",
};

/** All characters but white space, as ranges. */
const notSpace = "\\x{0}-\\x{8}\\x{e}-\\x{1f}!-\\x{10ffff}";

/** The translation of an escape at the start of `rest`. */
export function escaped(rest: string, inClass: boolean): Translated {
  const char = rest[1];
  if (char === undefined) throw new MongoFault("Location51091", "Regular expression is invalid: \\ at end of pattern");
  return letterEscape(char, inClass) ?? longEscape(rest, char, inClass) ?? literalEscape(rest, char, inClass);
}

function letterEscape(char: string, inClass: boolean): Translated | undefined {
  if (char === "E") return ["", 2];
  const set = classEscapes[char];
  if (set !== undefined) return [inClass ? set : `[${set}]`, 2];
  const negated = classEscapes[char.toLowerCase()];
  if (negated !== undefined) {
    if (inClass && char === "S") return [notSpace, 2];
    if (inClass) throw refuse(`\\${char} in a character class`);
    return [`[^${negated}]`, 2];
  }
  const fixed = inClass ? undefined : fixedEscapes[char];
  if (fixed !== undefined) return [fixed, 2];
  if (char === "R") throw refuse("\\R, which is an atomic group,");
  if (char === "b" && inClass) return ["\\x{8}", 2];
  if ("bB".includes(char)) return inClass ? undefined : [`\\${char}`, 2];
  // Word characters are those of ASCII, also where upper and lower case are the same.
  if ("wW".includes(char) && !inClass) return [`(?-i:\\${char})`, 2];
  if ("dDwWtnrf".includes(char)) return [`\\${char}`, 2];
  if (char === "e") return ["\\x{1b}", 2];
  return char === "a" ? ["\\x{7}", 2] : undefined;
}

function longEscape(rest: string, char: string, inClass: boolean): Translated | undefined {
  if (char === "Q") return quoted(rest, inClass);
  const hex = /^\\x(?:\{([0-9a-fA-F]{1,6})\}|([0-9a-fA-F]{1,2}))/.exec(rest);
  if (hex !== null) return [`\\x{${hex[1] ?? hex[2]}}`, hex[0].length];
  const property = /^\\([pP])(?:\{(\^?)(\w&?|\w{2})\}|([A-Z]))/.exec(rest);
  if (property !== null) return [categoryOf(property), property[0].length];
  if (char === "p" || char === "P") throw refuse(`the property ${rest.slice(0, rest.indexOf("}") + 1 || 3)}`);
  if (inClass) return undefined;
  if (/^\\(?:[1-9]|[gk])/.test(rest)) throw refuse("back-references");
  return undefined;
}

/** Only general categories: scripts differ between versions of Unicode and of PCRE. */
function categoryOf([text, letter, negated, braced, single]: RegExpExecArray): string {
  const name = single ?? (braced as string);
  if (!/^(?:C[cfos]?|L[lmotu]?|M[cen]?|N[dlo]?|P[cdefios]?|S[ckmo]?|Z[lps]?)$/.test(name))
    throw refuse(`the property ${text}`);
  return `\\${(letter === "P") === (negated === "^") ? "p" : "P"}{${name}}`;
}

/** \Q…\E: everything between is literal. */
function quoted(rest: string, inClass: boolean): Translated {
  const end = rest.indexOf("\\E");
  const literal = rest.slice(2, end < 0 ? undefined : end).replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
  return [inClass ? literal.replaceAll("-", "\\-") : literal, end < 0 ? rest.length : end + 2];
}

function literalEscape(rest: string, char: string, inClass: boolean): Translated {
  if (/\w/.test(char)) throw refuse(`\\${char}`);
  if ("^$\\.*+?()[]{}|/".includes(char)) return [`\\${char}`, 2];
  if (char === "-") return [inClass ? "\\-" : "-", 2];
  const point = String.fromCodePoint(rest.codePointAt(1) as number);
  return [point, 1 + point.length];
}
