import { RE2JS } from "re2js";
import { countWork } from "../foundation/budget.ts";
import { badValue, MongoFault } from "../foundation/fault.ts";
import { piecesTest } from "./literal-search.ts";
import { type RegexMatch, Search } from "./search.ts";
import { translate } from "./translation.ts";

/** A compiled regular expression. Every pattern runs in time linear in the text (docs/decisions/0017). */
export interface Pattern {
  test(text: string): boolean;
  /** The first match, or all of them. */
  find(text: string, everywhere: boolean): RegexMatch[];
}

const longestPattern = 32_764;
const largestProgram = 10_000;
/** Instructions × characters: about 0.2 s if every instruction is tried at every character. */
const largestSearch = 16_000_000;
/** Bytes of states that an automaton keeps. */
const largestAutomaton = 1 << 20;
const keptPatterns = 128;
const stepsToCompile = 64;
const keptOutcomes = 256;
const longestKeptText = 32;

const kept = new Map<string, Pattern>();

/** Compiles a Perl-compatible expression once. What cannot be matched in linear time is refused by name. */
export function patternOf(pattern: string, flags: string): Pattern {
  const key = `${flags}/${pattern}`;
  let known = kept.get(key);
  if (known === undefined) {
    known = compilePattern(pattern, flags);
    for (const oldest of kept.keys()) {
      if (kept.size < keptPatterns) break;
      kept.delete(oldest);
    }
  } else kept.delete(key);
  // The most recently used pattern is the last.
  kept.set(key, known);
  return known;
}

function compilePattern(pattern: string, flags: string): Pattern {
  for (const flag of flags)
    if (!"imsxu".includes(flag)) throw new MongoFault("Location51108", `invalid flag in regex options: ${flag}`);
  if (pattern.includes("\0")) throw badValue("Regular expression cannot contain an embedded null byte");
  if (Buffer.byteLength(pattern) > longestPattern)
    throw new MongoFault("Location51091", `Regular expression is invalid: it is longer than ${longestPattern} bytes`);
  // Patterns of LIKE are matched without an automaton, at any length of pattern and text.
  const test = /^u?(?:iu?s|su?i)u?$/.test(flags) ? piecesTest(pattern) : undefined;
  if (test === undefined) return compileAutomaton(pattern, flags);
  let automaton: Pattern | undefined;
  return {
    test,
    find(text, everywhere) {
      automaton ??= compileAutomaton(pattern, flags);
      return automaton.find(text, everywhere);
    },
  };
}

function compileAutomaton(pattern: string, flags: string): Pattern {
  const { tested, searched, groups, options } = translate(pattern, flags);
  const automaton = compileSource(tested, pattern, options.ignoreCase);
  const size = automaton.programSize();
  const search = new Search(
    () => (searched === tested ? automaton : compileSource(searched, pattern, options.ignoreCase)),
    {
      groups,
      skipsLastLine: options.startsLines,
    },
  );
  /** Names of fields and values of enumerations are tested again and again. */
  const outcomes = new Map<string, boolean>();
  const count = (text: string): void => {
    if (text.length * size > largestSearch)
      throw badValue(
        `The embedded database does not match a regular expression of ${size} instructions with a text of ${text.length} characters`,
      );
  };
  return {
    test(text) {
      count(text);
      if (options.startsLines && text.endsWith("\n")) return search.all(text, false).length > 0;
      countWork(4 + (text.length >> 1));
      if (text.length > longestKeptText) return automaton.test(text);
      let outcome = outcomes.get(text);
      if (outcome === undefined) {
        outcome = automaton.test(text);
        if (outcomes.size < keptOutcomes) outcomes.set(text, outcome);
      }
      return outcome;
    },
    find(text, everywhere) {
      count(text);
      return search.all(text, everywhere);
    },
  };
}

function compileSource(source: string, pattern: string, ignoreCase: boolean): RE2JS {
  let compiled: RE2JS;
  countWork(source.length);
  try {
    compiled = RE2JS.compile(source, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0);
  } catch {
    throw new MongoFault("Location51091", `Regular expression is invalid: ${pattern}`);
  }
  if (compiled.programSize() > largestProgram)
    throw badValue(
      `The embedded database does not run a regular expression of more than ${largestProgram} instructions; this one has ${compiled.programSize()}`,
    );
  countWork(compiled.programSize() * stepsToCompile);
  const { dfa } = compiled.re2();
  dfa.maxMem = largestAutomaton;
  dfa.stateBudget = largestAutomaton;
  dfa.memBudget = largestAutomaton;
  return compiled;
}
