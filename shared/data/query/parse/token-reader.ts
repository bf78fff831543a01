import { didYouMean } from "#shared/foundation/did-you-mean";
import type { Fault } from "#shared/foundation/faults";
import { queryLimits } from "../limits.ts";
import { type QueryIssueDetails, type QueryLocation, queryFault } from "../query-issue.ts";
import { type Token, tokenize } from "./lexer.ts";
import type { Name, Span } from "./syntax.ts";

/** Reads tokens one by one. The parser's productions are functions over it. */
export interface TokenReader {
  readonly text: string;
  readonly loc: QueryLocation;
  /** Takes a parameter, and gives the value that is bound to it. */
  takeParameter(): { readonly value: unknown; readonly token: Token };
  /** The number of values up to the last one that was taken. */
  usedParameters(): number;
  peek(ahead?: number): Token;
  next(): Token;
  /** Whether the token at `ahead` is this keyword (upper case). A quoted name is none. */
  isWord(word: string, ahead?: number): boolean;
  isSymbol(symbol: string): boolean;
  /** Takes the next token if it is the keyword or symbol. */
  takeWord(word: string): boolean;
  takeSymbol(symbol: string): boolean;
  expectWord(word: string): Token;
  expectSymbol(symbol: string): Token;
  /** From the start of `first` to the end of the last taken token. */
  spanFrom(first: Span): Span;
  /**
   * Notes that the last token was taken as a name only for lack of alternatives; `expected` would have fitted better.
   */
  doubtLast(expected: readonly string[]): void;
  /** Runs `work` one level deeper, within the limit. */
  nested<T>(work: () => T): T;
  /** A fault that names what was found instead of `expected`. */
  unexpected(expected: readonly string[], hint?: string): Fault;
  refuse(at: Span, sentence: string, details?: QueryIssueDetails): Fault;
}

/** Reserved words. They are names only in backquotes or after a dot. */
const reserved = new Set(
  (
    "SELECT FROM WHERE AND OR NOT IN LIKE BETWEEN IS NULL HAVING JOIN INNER ON AS ASC DESC DISTINCT TRUE FALSE " +
    "RIGHT FULL CROSS OUTER UNION"
  ).split(" "),
);

/** Words that are keywords only before certain others. Elsewhere they can be names. */
const reservedBefore: ReadonlyMap<string, readonly string[]> = new Map([
  ["ORDER", ["BY"]],
  ["GROUP", ["BY"]],
  ["LEFT", ["JOIN", "OUTER"]],
]);

export const describe = (token: Token): string => {
  if (token.kind === "end") return "the end of the query";
  if (token.kind === "parameter") return `$${token.text}`;
  return token.kind === "string" ? `'${token.text}'` : token.text;
};

export const isName = (token: Token, following: Token): boolean => {
  if (token.kind === "quoted") return true;
  if (token.kind !== "word" || reserved.has(token.upper)) return false;
  if (isWindowWord(token)) return following.kind !== "number";
  return !(reservedBefore.get(token.upper)?.includes(following.upper) ?? false);
};

export const nameOf = (token: Token): Name => ({ text: token.text, at: token.at });

/** Whether the token may be an alias without AS. A word that usually begins a clause is none. */
export const isImplicitAlias = (token: Token): boolean =>
  token.kind === "quoted" ||
  (token.kind === "word" && !reserved.has(token.upper) && !reservedBefore.has(token.upper) && !isWindowWord(token));

const isWindowWord = (token: Token): boolean => token.upper === "LIMIT" || token.upper === "OFFSET";

/** "a", "a or b", "a, b or c" */
const oneOf = (expected: readonly string[]): string => {
  const words = expected.map((word) => (word === "," ? "a comma" : word));
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
};

/** The expected keyword that was probably meant. Of several words the first is compared. */
const meantKeyword = (token: Token, expected: readonly string[]): string | undefined => {
  const keywords = expected.filter((word) => word === word.toUpperCase());
  const first =
    token.kind === "word"
      ? didYouMean(
          token.text,
          keywords.map((word) => word.split(" ")[0] ?? ""),
        )
      : undefined;
  return first === undefined ? undefined : keywords.find((word) => word.split(" ")[0] === first);
};

/** `parameters`: the values of `$1`, `$2` and so on. They never become part of the text. */
export const readTokens = (text: string, loc: QueryLocation, parameters: readonly unknown[] = []): TokenReader => {
  const tokens = tokenize(text, loc);
  const end = tokens[tokens.length - 1] as Token;
  let index = 0;
  let depth = 0;
  let used = 0;
  let doubted: { readonly index: number; readonly expected: readonly string[] } | null = null;
  const peek = (ahead = 0): Token => tokens[index + ahead] ?? end;
  const next = (): Token => {
    const token = peek();
    if (index < tokens.length - 1) index += 1;
    return token;
  };
  const isWord = (word: string, ahead = 0): boolean => {
    const token = peek(ahead);
    return token.kind === "word" && token.upper === word;
  };
  const isSymbol = (symbol: string): boolean => peek().kind === "symbol" && peek().text === symbol;
  const refuse: TokenReader["refuse"] = (at, sentence, details = {}) =>
    queryFault(loc, at, "query_syntax", sentence, details);
  const unexpected: TokenReader["unexpected"] = (expected, hint) => {
    const blamed = doubted?.index === index - 1 && peek().kind !== "symbol" ? doubted : { index, expected };
    const token = tokens[blamed.index] ?? end;
    const found = describe(token);
    const meant = meantKeyword(token, blamed.expected);
    const advice = hint ?? (meant ? `Did you mean ${meant}?` : undefined);
    const sentence = `Expected ${oneOf(blamed.expected)}, found ${found}.${advice ? ` ${advice}` : ""}`;
    return refuse(token.at, sentence, { expected: blamed.expected, found, ...(meant && { did_you_mean: meant }) });
  };
  const take = (matches: boolean): boolean => {
    if (matches) next();
    return matches;
  };
  return {
    text,
    loc,
    takeParameter: () => {
      const token = next();
      const position = Number(token.text);
      if (position < 1 || position > parameters.length) throw refuse(token.at, `There is no value for $${token.text}.`);
      used = Math.max(used, position);
      return { value: parameters[position - 1], token };
    },
    usedParameters: () => used,
    peek,
    next,
    isWord,
    isSymbol,
    takeWord: (word) => take(isWord(word)),
    takeSymbol: (symbol) => take(isSymbol(symbol)),
    expectWord: (word) => {
      if (!isWord(word)) throw unexpected([word]);
      return next();
    },
    expectSymbol: (symbol) => {
      if (!isSymbol(symbol)) throw unexpected([symbol]);
      return next();
    },
    spanFrom: (first) => {
      const last = tokens[index - 1]?.at ?? first;
      return { ...first, length: Math.max(last.offset + last.length - first.offset, 0) };
    },
    doubtLast: (expected) => {
      doubted = { index: index - 1, expected };
    },
    nested: (work) => {
      depth += 1;
      if (depth > queryLimits.depth) {
        const sentence = `Parentheses and NOT are nested deeper than ${queryLimits.depth} levels.`;
        throw queryFault(loc, peek().at, "query_too_complex", sentence);
      }
      const result = work();
      depth -= 1;
      return result;
    },
    unexpected,
    refuse,
  };
};
