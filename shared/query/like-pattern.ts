const end = "(?!.)";

const escapeCharacter = (character: string): string =>
  /[\^$\\.*+?()[\]{}|]/.test(character) ? `\\${character}` : character;

/** Between two `%`: the characters as a regular expression, `_` being any one. Null if the pattern ends in a backslash. */
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
 * LIKE → a regular expression for the options `i` and `s`: `%` any characters, `_` one, a backslash takes the next one
 * as it is. `all`: everything but NULL matches. With several `%` each piece is matched at its first place and
 * never again (a lookahead does not backtrack), so that no pattern takes more than linear time. The end is written so
 * that PCRE's `$`, which also matches before a last newline, is not needed.
 */
export const likePattern = (pattern: string): { readonly regex: string } | "all" | "incomplete" => {
  const segments = segmentsOf(pattern);
  if (segments === null) return "incomplete";
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
  const steps = middle.map((segment, index) => `(?=(.*?${segment}))(?:\\${index + 1})`).join("");
  return { regex: `^${first}${steps}${last === "" ? "" : `.*${last}${end}`}` };
};
