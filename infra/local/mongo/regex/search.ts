import { MatcherInput, type RE2JS } from "re2js";
import { countWork } from "../foundation/budget.ts";

/** A match: its start and end in UTF-16 units, and the texts of its groups. */
export interface RegexMatch {
  readonly start: number;
  readonly end: number;
  readonly groups: readonly (string | undefined)[];
}

/** Groups of the caller, and groups that capture the line feed after a `$`. */
export type GroupKind = "own" | "lastLineFeed";

interface Reading {
  readonly groups: readonly GroupKind[];
  /** With the option m, `^` does not match after a final line feed, as it would in RE2. */
  readonly skipsLastLine: boolean;
}

/** Finds the matches of a pattern. The program with groups is compiled when it is first needed. */
export class Search {
  readonly #compile: () => RE2JS;
  readonly #reading: Reading;
  #program: RE2JS | undefined;

  constructor(compile: () => RE2JS, reading: Reading) {
    this.#compile = compile;
    this.#reading = reading;
  }

  all(text: string, everywhere: boolean): RegexMatch[] {
    this.#program ??= this.#compile();
    const matcher = this.#program.matcher(MatcherInput.utf16(new CountedText(text, this.#program.programSize())));
    const found: RegexMatch[] = [];
    for (let from = 0; ; ) {
      countWork(stepsOfSearch);
      if (!matcher.find(from)) return found;
      const match = this.#read(matcher, text);
      if (match === undefined) return found;
      found.push(match);
      from = match.end > match.start ? match.end : match.end + lengthAt(text, match.end);
      if (!everywhere || from >= text.length) return found;
    }
  }

  #read(matcher: ReturnType<RE2JS["matcher"]>, text: string): RegexMatch | undefined {
    const { groups, skipsLastLine } = this.#reading;
    const start = matcher.start();
    if (skipsLastLine && start === text.length && text.endsWith("\n")) return undefined;
    let end = matcher.end();
    groups.forEach((kind, i) => {
      if (kind === "lastLineFeed" && matcher.start(i + 1) >= 0) end = Math.min(end, matcher.start(i + 1));
    });
    const own: (string | undefined)[] = [];
    groups.forEach((kind, i) => {
      if (kind !== "own") return;
      const from = matcher.start(i + 1);
      own.push(from < 0 ? undefined : text.slice(Math.min(from, end), Math.min(matcher.end(i + 1), end)));
    });
    return { start, end, groups: own };
  }
}

const lengthAt = (text: string, at: number): number => ((text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1);

const stepsOfSearch = 16;
const shortText = 2_000;

/**
 * A text that counts how often it is read. One search is linear, but a search for each match in turn may not be: each
 * may read the rest of the text.
 */
class CountedText extends String {
  readonly #text: string;
  readonly #steps: number;

  constructor(text: string, programSize: number) {
    super(text);
    this.#text = text;
    // In a long text every instruction may be tried at every character; in a short one a single path is followed.
    this.#steps = text.length > shortText ? 2 + (programSize >> 4) : 2;
  }

  override charCodeAt(at: number): number {
    countWork(this.#steps);
    return this.#text.charCodeAt(at);
  }

  override indexOf(wanted: string, from: number): number {
    const at = this.#text.indexOf(wanted, from);
    countWork(1 + (((at < 0 ? this.length : at) - from) >> 4));
    return at;
  }
}
