import { queryLimits } from "../limits.ts";
import { queryFault } from "../query-issue.ts";
import { parseListItem, parseLiteral, parseOperand } from "./parse-operand.ts";
import type { ComparisonOperator, Condition, Expression, Literal, Operand } from "./syntax.ts";
import { describe, type TokenReader } from "./token-reader.ts";

const operators = new Map<string, ComparisonOperator>([
  ["=", "="],
  ["!=", "!="],
  ["<>", "!="],
  ["<", "<"],
  ["<=", "<="],
  [">", ">"],
  [">=", ">="],
]);

/** OR binds loosest, then AND, then NOT. */
export const parseCondition = (reader: TokenReader): Condition => parseChain(reader, "or");

const parseChain = (reader: TokenReader, kind: "and" | "or"): Condition => {
  const parseItem = () => (kind === "or" ? parseChain(reader, "and") : parseNot(reader));
  const word = kind.toUpperCase();
  const first = parseItem();
  if (!reader.isWord(word)) return first;
  const items = [first];
  while (reader.takeWord(word)) items.push(parseItem());
  return { kind, items, at: reader.spanFrom(first.at) };
};

const parseNot = (reader: TokenReader): Condition => {
  const first = reader.peek().at;
  if (reader.takeWord("NOT")) {
    const item = reader.nested(() => parseNot(reader));
    return { kind: "not", item, at: reader.spanFrom(first) };
  }
  if (!reader.takeSymbol("(")) return parsePredicate(reader);
  if (reader.isWord("SELECT"))
    throw reader.refuse(reader.peek().at, "A query inside a query is not supported; use JOIN.");
  const inner = reader.nested(() => parseCondition(reader));
  if (!reader.isSymbol(")")) throw reader.unexpected(["AND", "OR", ")"]);
  reader.next();
  return inner;
};

const parsePredicate = (reader: TokenReader): Condition => {
  const first = reader.peek();
  const left = parseOperand(reader);
  const operator = reader.peek().kind === "symbol" ? operators.get(reader.peek().text) : undefined;
  if (operator) {
    reader.next();
    return { kind: "comparison", operator, left, right: parseOperand(reader), at: reader.spanFrom(first.at) };
  }
  const span = () => reader.spanFrom(first.at);
  const field = (): Expression => {
    if (left.kind === "path" || left.kind === "aggregate") return left;
    const sentence = "Expected a field on the left of this operator, found a value.";
    throw reader.refuse(left.at, sentence, { expected: ["a field"], found: describe(first) });
  };
  if (reader.takeWord("IS")) {
    const negated = reader.takeWord("NOT");
    reader.expectWord("NULL");
    return { kind: "is-null", negated, left: field(), at: span() };
  }
  const negated = reader.takeWord("NOT");
  if (reader.takeWord("IN")) return { kind: "in", negated, left: field(), values: parseValues(reader), at: span() };
  if (reader.takeWord("LIKE")) {
    return { kind: "like", negated, left: field(), pattern: parseLiteral(reader), at: span() };
  }
  if (reader.takeWord("BETWEEN")) {
    const low: Operand = parseOperand(reader);
    reader.expectWord("AND");
    return { kind: "between", negated, left: field(), low, high: parseOperand(reader), at: span() };
  }
  if (negated) throw reader.unexpected(["IN", "LIKE", "BETWEEN"]);
  throw reader.unexpected(["=", "!=", "<", "<=", ">", ">=", "IN", "LIKE", "BETWEEN", "IS", "NOT"]);
};

/** `(a, b)` or `[a, b]`. */
const parseValues = (reader: TokenReader): Literal[] => {
  if (!reader.isSymbol("(") && !reader.isSymbol("[")) throw reader.unexpected(["(", "["]);
  const close = reader.next().text === "(" ? ")" : "]";
  if (reader.isWord("SELECT"))
    throw reader.refuse(reader.peek().at, "A query inside a query is not supported; use JOIN.");
  const values: Literal[] = [];
  do {
    const { at } = reader.peek();
    values.push(...parseListItem(reader));
    if (values.length > queryLimits.listValues) {
      const sentence = `A list has at most ${queryLimits.listValues} values.`;
      throw queryFault(reader.loc, at, "query_too_complex", sentence);
    }
  } while (reader.takeSymbol(","));
  if (!reader.isSymbol(close)) throw reader.unexpected([",", close]);
  reader.next();
  return values;
};
