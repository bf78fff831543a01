import { queryLimits } from "../limits.ts";
import { type QueryLocation, queryFault } from "../query-issue.ts";
import { isDigit, isoDateEnd, isSpace, isWordPart, isWordStart, numberEnd } from "./characters.ts";
import type { Span } from "./syntax.ts";

/**
 * `word`: a bare name or keyword, `upper` its upper-case form. `quoted`: a name in backquotes. `date`: an ISO date or
 * date-time without quotes. `string`: in single or double quotes; `text` is without them, and doubled quotes are
 * single. `parameter`: `$1`; `text` is the number.
 */
export interface Token {
  readonly kind: "word" | "quoted" | "string" | "number" | "date" | "parameter" | "symbol" | "end";
  readonly text: string;
  readonly upper: string;
  readonly at: Span;
}

interface Scanner {
  readonly text: string;
  readonly loc: QueryLocation;
  readonly tokens: Token[];
  index: number;
  line: number;
  lineStart: number;
}

const pairs = new Set(["!=", "<>", "<=", ">="]);
const singles = new Set("=<>(),.[]*;:+-");

/** Splits a query into tokens; the last one is of kind `end`. One pass, without backtracking. Raises `query_syntax`. */
export const tokenize = (text: string, loc: QueryLocation): Token[] => {
  const scanner: Scanner = { text, loc, tokens: [], index: 0, line: 1, lineStart: 0 };
  if (text.length > queryLimits.length) {
    const sentence = `The query has ${text.length} characters; at most ${queryLimits.length} are accepted.`;
    throw queryFault(loc, spanAt(scanner, 0, 0), "query_too_complex", sentence);
  }
  while (scanner.index < text.length) {
    const code = text.charCodeAt(scanner.index);
    if (isSpace(code)) advance(scanner, scanner.index + 1);
    else if (isWordStart(code)) readWord(scanner);
    else if (isDigit(code) || startsFraction(scanner)) readNumber(scanner);
    else if (code === 36 && isDigit(text.charCodeAt(scanner.index + 1))) readParameter(scanner);
    else if (code === 39 || code === 34 || code === 96) readQuoted(scanner);
    else if (!skipComment(scanner)) readSymbol(scanner);
  }
  push(scanner, "end", scanner.index, "");
  return scanner.tokens;
};

const spanAt = ({ line, lineStart }: Scanner, offset: number, length: number): Span => ({
  offset,
  length,
  line,
  column: offset - lineStart + 1,
});

const fail = (scanner: Scanner, at: Span, sentence: string, expected: string[], found: string) =>
  queryFault(scanner.loc, at, "query_syntax", sentence, { expected, found });

/** Advances to `end`, and counts the lines. */
const advance = (scanner: Scanner, end: number): void => {
  for (; scanner.index < end; scanner.index += 1) {
    if (scanner.text.charCodeAt(scanner.index) !== 10) continue;
    scanner.line += 1;
    scanner.lineStart = scanner.index + 1;
  }
};

/** A token from the scanner's position to `end`, on one line. */
const push = (scanner: Scanner, kind: Token["kind"], end: number, text: string, upper = text): void => {
  scanner.tokens.push({ kind, text, upper, at: spanAt(scanner, scanner.index, end - scanner.index) });
  scanner.index = end;
};

/** Names are repeated in replies and messages. */
const checkName = (scanner: Scanner, name: string): void => {
  if (name.length <= queryLimits.name) return;
  const sentence = `A name has at most ${queryLimits.name} characters; this one has ${name.length}.`;
  throw queryFault(scanner.loc, spanAt(scanner, scanner.index, name.length), "query_too_complex", sentence);
};

const readWord = (scanner: Scanner): void => {
  let end = scanner.index + 1;
  while (isWordPart(scanner.text.charCodeAt(end))) end += 1;
  const word = scanner.text.slice(scanner.index, end);
  checkName(scanner, word);
  push(scanner, "word", end, word, word.toUpperCase());
};

/** `.5` is a number, but in `lead.5` the dot follows a name. */
const startsFraction = ({ text, index, tokens }: Scanner): boolean => {
  if (text.charCodeAt(index) !== 46 || !isDigit(text.charCodeAt(index + 1))) return false;
  const last = tokens.at(-1);
  const touches = last !== undefined && last.at.offset + last.at.length === index;
  return !(touches && (last.kind === "word" || last.kind === "quoted"));
};

const readNumber = (scanner: Scanner): void => {
  const { text, index } = scanner;
  const date = isoDateEnd(text, index);
  if (date > index) {
    push(scanner, "date", date, text.slice(index, date));
    return;
  }
  let end = numberEnd(text, index);
  if (isWordPart(text.charCodeAt(end))) {
    while (isWordPart(text.charCodeAt(end))) end += 1;
    const found = text.slice(index, end);
    const sentence = `${found} is neither a number nor a name; put text in quotes.`;
    throw fail(scanner, spanAt(scanner, index, end - index), sentence, ["a number"], found);
  }
  push(scanner, "number", end, text.slice(index, end));
};

const readParameter = (scanner: Scanner): void => {
  const { text, index } = scanner;
  let end = index + 1;
  while (isDigit(text.charCodeAt(end))) end += 1;
  push(scanner, "parameter", end, text.slice(index + 1, end));
};

const readQuoted = (scanner: Scanner): void => {
  const { text, index } = scanner;
  const quote = text.charAt(index);
  const opening = spanAt(scanner, index, 1);
  const what = quote === "`" ? "name" : "string";
  let value = "";
  let from = index + 1;
  let close = text.indexOf(quote, from);
  while (close >= 0 && text[close + 1] === quote) {
    value += text.slice(from, close + 1);
    from = close + 2;
    close = text.indexOf(quote, from);
  }
  if (close < 0) {
    throw fail(
      scanner,
      opening,
      `The ${what} that opens here has no closing ${quote}.`,
      [quote],
      "the end of the query",
    );
  }
  value += text.slice(from, close);
  if (what === "name" && value === "") throw fail(scanner, opening, "A name cannot be empty.", ["a name"], "``");
  if (what === "name") checkName(scanner, value);
  advance(scanner, close + 1);
  const kind = what === "name" ? "quoted" : "string";
  scanner.tokens.push({ kind, text: value, upper: value, at: { ...opening, length: close + 1 - index } });
};

/** Comments: `--` to the end of the line, or between a slash with a star and a star with a slash. */
const skipComment = (scanner: Scanner): boolean => {
  const { text, index } = scanner;
  if (text.startsWith("--", index)) {
    const end = text.indexOf("\n", index);
    advance(scanner, end < 0 ? text.length : end);
    return true;
  }
  if (!text.startsWith("/*", index)) return false;
  const end = text.indexOf("*/", index + 2);
  if (end < 0) {
    const opening = spanAt(scanner, index, 2);
    throw fail(scanner, opening, "The comment that opens here is not closed.", ["*/"], "the end of the query");
  }
  advance(scanner, end + 2);
  return true;
};

const readSymbol = (scanner: Scanner): void => {
  const { text, index } = scanner;
  const pair = text.slice(index, index + 2);
  const symbol = pairs.has(pair) ? pair : text.charAt(index);
  if (symbol.length === 2 || singles.has(symbol)) {
    push(scanner, "symbol", index + symbol.length, symbol);
    return;
  }
  const found = String.fromCodePoint(text.codePointAt(index) ?? 0);
  const at = spanAt(scanner, index, found.length);
  throw fail(scanner, at, `The character ${found} has no meaning here.`, ["a name", "a value", "an operator"], found);
};
