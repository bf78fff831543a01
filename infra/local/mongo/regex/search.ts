import { MatcherInput, type RE2JS } from "re2js";
import { countWork } from "../foundation/budget.ts";

/** A match: where it begins and ends in UTF-16 units, and the texts of its groups. */
export interface RegexMatch {
  readonly start: number;
  readonly end: number;
  readonly groups: readonly (string | undefined)[];
}

/** Groups of the caller, and those that hold the line feed that a `$` stands before. */
export type GroupKind = "own" | "lastLineFeed";

interface Reading {
  readonly groups: readonly GroupKind[];
  /** `^` with option m does not match behind a last line feed, as RE2 has it. */
  readonly skipsLastLine: boolean;
}

/** Finds where a pattern matches. The program with groups is made when it is first needed. */
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
 * A text that counts how often it is read. One search is linear, but many of them from one match to the next need not be:
 * each may look at all that follows.
 */
class CountedText extends String {
  readonly #text: string;
  readonly #steps: number;

  constructor(text: string, programSize: number) {
    super(text);
    this.#text = text;
    // For a long text every instruction may be tried at every character; a short one is followed along one path.
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
