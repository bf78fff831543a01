import {
  countedRelativeDate,
  maxRelativeCount,
  plainRelativeDate,
  relativeDateWords,
} from "../analyze/relative-dates.ts";
import type { Token } from "./lexer.ts";
import type { Operand, Path } from "./syntax.ts";
import {
  type Aggregate,
  type AggregateName,
  aggregateNames,
  type Expression,
  type Literal,
  type Name,
} from "./syntax.ts";
import { isName, nameOf, type TokenReader } from "./token-reader.ts";

const aggregateOf = new Map<string, AggregateName>(aggregateNames.map((name) => [name, name]));

/** `name`, `lead.name`, `lead.company.name`. After a dot even a reserved word is a name. */
export const parsePath = (reader: TokenReader, expected = "a field"): Path => {
  if (!isName(reader.peek(), reader.peek(1))) throw reader.unexpected([expected]);
  const first = reader.next();
  const names: Name[] = [nameOf(first)];
  while (reader.takeSymbol(".")) {
    const token = reader.peek();
    if (token.kind !== "word" && token.kind !== "quoted") throw reader.unexpected(["a field name"]);
    names.push(nameOf(reader.next()));
  }
  const at = reader.spanFrom(first.at);
  if (names.length > 3) throw reader.refuse(at, "A field is written with at most three names: object.lookup.name.");
  return { kind: "path", names, at };
};

const startsAggregate = (reader: TokenReader): boolean =>
  reader.peek().kind === "word" && reader.peek(1).kind === "symbol" && reader.peek(1).text === "(";

const parseAggregate = (reader: TokenReader): Aggregate => {
  const word = reader.next();
  const name = aggregateOf.get(word.upper);
  if (name === undefined) {
    const details = { found: word.text, expected: aggregateNames };
    throw reader.refuse(word.at, `There is no function ${word.text}; use ${aggregateNames.join(", ")}.`, details);
  }
  reader.expectSymbol("(");
  const distinct = reader.takeWord("DISTINCT");
  let argument: Path | null = null;
  if (reader.isSymbol("*") && name === "COUNT" && !distinct) reader.next();
  else argument = parsePath(reader, name === "COUNT" && !distinct ? "a field or *" : "a field");
  reader.expectSymbol(")");
  const at = reader.spanFrom(word.at);
  const text = reader.text.slice(at.offset, at.offset + at.length);
  return { kind: "aggregate", name, distinct, argument, text, at };
};

export const parseExpression = (reader: TokenReader, expected = "a field"): Expression =>
  startsAggregate(reader) ? parseAggregate(reader) : parsePath(reader, expected);

const parseNumber = (reader: TokenReader): Literal => {
  const first = reader.peek();
  const negative = reader.takeSymbol("-") || (reader.takeSymbol("+") && false);
  if (reader.peek().kind !== "number") throw reader.unexpected(["a number"]);
  const value = Number(reader.next().text);
  const at = reader.spanFrom(first.at);
  if (!Number.isFinite(value)) throw reader.refuse(at, "This number is too large.");
  return { kind: "number", value: negative ? -value : value, at };
};

/** `today`, `last_n_days:30`; a word followed by a dot is a name. */
const parseRelative = (reader: TokenReader): Literal | null => {
  const word = reader.peek();
  const following = reader.peek(1);
  if (following.kind === "symbol" && following.text === ".") return null;
  const plain = plainRelativeDate(word.text);
  if (plain !== undefined) {
    reader.next();
    return { kind: "relative", word: word.text, date: plain, at: word.at };
  }
  const counted = countedRelativeDate(word.text);
  const colon = following.kind === "symbol" && following.text === ":";
  if (counted === undefined && !colon) return null;
  reader.next();
  if (counted === undefined) {
    const details = { found: word.text, expected: relativeDateWords };
    throw reader.refuse(word.at, `There is no relative date ${word.text}:n.`, details);
  }
  reader.expectSymbol(":");
  const number = reader.peek();
  const count = Number(number.text);
  if (number.kind !== "number" || !Number.isInteger(count)) throw reader.unexpected(["a whole number"]);
  reader.next();
  const at = reader.spanFrom(word.at);
  if (count < 1 || count > maxRelativeCount) {
    throw reader.refuse(at, `The number of ${word.text} must be from 1 to ${maxRelativeCount}.`);
  }
  return { kind: "relative", word: `${word.text}:${count}`, date: counted(count), at };
};

const parseWordLiteral = (reader: TokenReader): Literal | null => {
  const { upper, at } = reader.peek();
  if (upper === "TRUE" || upper === "FALSE") return { kind: "boolean", value: upper === "TRUE", at: reader.next().at };
  if (upper === "NULL") return { kind: "null", at: reader.next().at };
  const dotted = reader.peek(1).kind === "symbol" && reader.peek(1).text === ".";
  if (upper === "ME" && !dotted) {
    reader.next();
    return { kind: "me", at };
  }
  return parseRelative(reader);
};

const boundLiteral = (reader: TokenReader, value: unknown, { text, at }: Pick<Token, "text" | "at">): Literal => {
  if (value === null) return { kind: "null", at };
  if (typeof value === "string") return { kind: "string", value, at };
  if (typeof value === "boolean") return { kind: "boolean", value, at };
  if (typeof value === "number" && Number.isFinite(value)) return { kind: "number", value, at };
  throw reader.refuse(at, `The value of $${text} must be text, a number, true, false or null here.`);
};

/** The values of a list: a literal, or all items of a list that is bound to a parameter. */
export const parseListItem = (reader: TokenReader): Literal[] => {
  if (reader.peek().kind !== "parameter") return [parseLiteral(reader)];
  const { value, token } = reader.takeParameter();
  const items: readonly unknown[] = Array.isArray(value) ? value : [value];
  return items.map((item) => boundLiteral(reader, item, token));
};

const literalOrNull = (reader: TokenReader): Literal | null => {
  const token = reader.peek();
  if (token.kind === "parameter") return boundLiteral(reader, reader.takeParameter().value, token);
  if (token.kind === "string" || token.kind === "date") {
    reader.next();
    return { kind: "string", value: token.text, at: token.at };
  }
  if (token.kind === "number" || reader.isSymbol("-") || reader.isSymbol("+")) return parseNumber(reader);
  return token.kind === "word" ? parseWordLiteral(reader) : null;
};

export const parseLiteral = (reader: TokenReader): Literal => {
  const literal = literalOrNull(reader);
  if (literal) return literal;
  const bare = reader.peek().kind === "word";
  throw reader.unexpected(["a value"], bare ? "Put text in quotes." : undefined);
};

export const parseOperand = (reader: TokenReader): Operand => {
  const literal = startsAggregate(reader) ? null : literalOrNull(reader);
  return literal ?? parseExpression(reader, "a field or a value");
};
