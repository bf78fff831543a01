import { MongoFault } from "../foundation/fault.ts";
import { escaped, refuse, type Translated } from "./escapes.ts";

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
  cntrl: "\\x{0}-\\x{1f}\\x{7f}",
  print: " -~",
  graph: "!-~",
};

export function characterClass(text: string): Translated {
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
  throw new MongoFault("Location51091", "Regular expression is invalid: missing terminating ] for character class");
}
