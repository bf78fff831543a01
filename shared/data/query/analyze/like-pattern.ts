import { queryLimits } from "../limits.ts";

/** The end of the text. PCRE's `$` also matches before a last newline. */
const end = "\\z";

const escapeCharacter = (character: string): string =>
  /[\^$\\.*+?()[\]{}|]/.test(character) ? `\\${character}` : character;

/** A piece between two `%` as a regular expression; `_` is any character. Null if the pattern ends in a backslash. */
const segmentsOf = (pattern: string): string[] | null => {
  const segments = [""];
  const append = (part: string) => {
    segments[segments.length - 1] += part;
  };
  for (let index = 0; index < pattern.length; index += 1) {
    const character = pattern.charAt(index);
    if (character === "%") segments.push("");
    else if (character === "_") append(".");
    else if (character !== "\\") append(escapeCharacter(character));
    else {
      index += 1;
      if (index >= pattern.length) return null;
      append(escapeCharacter(pattern.charAt(index)));
    }
  }
  return segments;
};

/**
 * Converts a LIKE pattern to a regular expression for the options `i` and `s`: `%` is any characters, `_` one, and a
 * backslash escapes the next one. `all`: everything but NULL matches. `incomplete`: the pattern ends in a backslash.
 *
 * Each piece between two `%` is an atomic group, `(?>.*?piece)`: PCRE takes its first match and never backtracks, so
 * the time is linear in the text for any number of pieces. The first match is sufficient, because a piece has a fixed
 * length: if the rest matches after a later match, it also matches after the first. An engine without backtracking
 * (RE2) may therefore treat the group as a plain one.
 */
export const likePattern = (pattern: string): { readonly regex: string } | "all" | "incomplete" | "too complex" => {
  const segments = segmentsOf(pattern);
  if (segments === null) return "incomplete";
  if (segments.filter((segment) => segment !== "").length > queryLimits.patternPieces) return "too complex";
  const first = segments[0] as string;
  const last = segments.at(-1) as string;
  if (segments.length === 1) return { regex: `^${first}${end}` };
  const middle = segments.slice(1, -1).filter((segment) => segment !== "");
  if (middle.length === 0) {
    if (first === "" && last === "") return "all";
    if (first === "") return { regex: `${last}${end}` };
    return { regex: last === "" ? `^${first}` : `^${first}.*${last}${end}` };
  }
  if (middle.length === 1 && first === "" && last === "") return { regex: middle[0] as string };
  const steps = middle.map((segment) => `(?>.*?${segment})`).join("");
  return { regex: `^${first}${steps}${last === "" ? "" : `.*${last}${end}`}` };
};
