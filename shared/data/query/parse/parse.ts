import { queryLimits } from "../limits.ts";
import { type QueryLocation, queryFault } from "../query-issue.ts";
import { parseCondition } from "./parse-condition.ts";
import { parseExpression, parsePath } from "./parse-operand.ts";
import type { Condition, Join, Name, OrderItem, Path, Query, SelectItem, SourceName } from "./syntax.ts";
import { isImplicitAlias, isName, nameOf, readTokens, type TokenReader } from "./token-reader.ts";

/**
 * Text → syntax tree. Raises `validation_failed` with one issue at `loc`, the first position where the text is no
 * query. Names are not resolved here. `parameters` are bound as literals to `$1`, `$2` and so on; each must be used.
 */
export const parseQuery = (text: string, loc: QueryLocation, parameters: readonly unknown[] = []): Query => {
  const reader = readTokens(text, loc, parameters);
  const first = reader.peek().at;
  const explain = reader.takeWord("EXPLAIN");
  if (!reader.isWord("SELECT")) throw reader.unexpected(explain ? ["SELECT"] : ["SELECT", "EXPLAIN"]);
  reader.next();
  const distinct = reader.takeWord("DISTINCT");
  const select = parseList(reader, parseSelectItem, queryLimits.columns, "columns");
  if (!reader.isWord("FROM")) throw reader.unexpected([",", "FROM"]);
  reader.next();
  const from = parseSource(reader);
  const joins = parseJoins(reader);
  const where = reader.takeWord("WHERE") ? parseCondition(reader) : null;
  const groupBy = takeTwo(reader, "GROUP", "BY")
    ? parseList<Path>(reader, parsePath, queryLimits.columns, "GROUP BY fields")
    : [];
  const having = reader.takeWord("HAVING") ? parseCondition(reader) : null;
  const orderBy = takeTwo(reader, "ORDER", "BY")
    ? parseList(reader, parseOrderItem, queryLimits.orderItems, "ORDER BY fields")
    : [];
  const { limit, offset } = parseWindow(reader);
  const at = reader.spanFrom(first);
  reader.takeSymbol(";");
  if (reader.peek().kind !== "end")
    throw reader.unexpected(continuations({ joins, where, groupBy, having, orderBy, limit }));
  const used = reader.usedParameters();
  if (used < parameters.length) {
    throw reader.refuse(at, `The query uses ${used} of the ${parameters.length} values that were given.`);
  }
  return { explain, distinct, select, from, joins, where, groupBy, having, orderBy, limit, offset, at };
};

/** A condition alone, as after WHERE. Raises as `parseQuery` does. */
export const parseConditionText = (text: string, loc: QueryLocation): Condition => {
  const reader = readTokens(text, loc, []);
  const condition = parseCondition(reader);
  if (reader.peek().kind !== "end") throw reader.unexpected(["AND", "OR", "the end of the condition"]);
  return condition;
};

/** The clauses that may follow those that were read. */
const continuations = (read: Pick<Query, "joins" | "where" | "groupBy" | "having" | "orderBy" | "limit">): string[] => {
  const after = [
    { words: ["JOIN", "LEFT JOIN", "WHERE"], open: true, present: read.where !== null },
    { words: ["AND", "OR", "GROUP BY"], open: read.where !== null, present: read.groupBy.length > 0 },
    { words: ["HAVING"], open: read.groupBy.length > 0, present: read.having !== null },
    { words: ["ORDER BY"], open: true, present: read.orderBy.length > 0 },
    { words: ["LIMIT"], open: true, present: read.limit !== null },
    { words: ["OFFSET", "the end of the query"], open: true, present: false },
  ];
  const last = after.findLastIndex((clause) => clause.present);
  return after.slice(last + 1).flatMap((clause) => (clause.open || clause.words.length > 1 ? clause.words : []));
};

const takeTwo = (reader: TokenReader, first: string, second: string): boolean => {
  if (!reader.isWord(first)) return false;
  reader.next();
  reader.expectWord(second);
  return true;
};

const parseList = <T>(reader: TokenReader, parseItem: (reader: TokenReader) => T, max: number, what: string): T[] => {
  const items = [parseItem(reader)];
  while (reader.takeSymbol(",")) {
    if (items.length >= max) {
      const sentence = `There are more than ${max} ${what}.`;
      throw queryFault(reader.loc, reader.peek().at, "query_too_complex", sentence);
    }
    items.push(parseItem(reader));
  }
  return items;
};

const parseSelectItem = (reader: TokenReader): SelectItem => {
  const first = reader.peek();
  if (reader.takeSymbol("*")) return { kind: "star", qualifier: null, at: first.at };
  const dotted = reader.peek(1).kind === "symbol" && reader.peek(1).text === ".";
  if (dotted && reader.peek(2).kind === "symbol" && reader.peek(2).text === "*" && isName(first, reader.peek(1))) {
    reader.next();
    reader.next();
    reader.next();
    return { kind: "star", qualifier: nameOf(first), at: reader.spanFrom(first.at) };
  }
  const expression = parseExpression(reader, "a field, *, or an aggregate");
  const alias = parseAlias(reader, true, [",", "AS", "FROM"]);
  return { kind: "column", expression, alias, at: reader.spanFrom(first.at) };
};

/** `AS name` or just `name`; a column's alias may be in quotes too. */
const parseAlias = (reader: TokenReader, quotes: boolean, otherwise: readonly string[]): Name | null => {
  const explicit = reader.takeWord("AS");
  const token = reader.peek();
  const quoted = quotes && explicit && token.kind === "string" && token.text !== "";
  if (quoted || (explicit ? isName(token, reader.peek(1)) : isImplicitAlias(token))) {
    reader.next();
    if (!explicit) reader.doubtLast(otherwise);
    return nameOf(token);
  }
  if (explicit) throw reader.unexpected(["a name"]);
  return null;
};

const afterSource = ["AS", "ON", "JOIN", "LEFT JOIN", "WHERE", "GROUP BY", "ORDER BY", "LIMIT", "OFFSET"];

const parseSource = (reader: TokenReader): SourceName => {
  const token = reader.peek();
  if (!isName(token, reader.peek(1))) {
    const subquery = token.kind === "symbol" && token.text === "(";
    throw reader.unexpected(["an object"], subquery ? "A query inside a query is not supported." : undefined);
  }
  reader.next();
  const alias = parseAlias(reader, false, afterSource);
  return { object: nameOf(token), alias, at: reader.spanFrom(token.at) };
};

const parseJoins = (reader: TokenReader): Join[] => {
  const joins: Join[] = [];
  for (;;) {
    const first = reader.peek();
    if (first.kind === "symbol" && first.text === ",") {
      throw reader.refuse(first.at, "Several objects are joined by JOIN … ON, not by a comma.", {
        expected: ["JOIN"],
        found: ",",
      });
    }
    if (reader.isWord("RIGHT") || reader.isWord("FULL") || reader.isWord("CROSS") || reader.isWord("UNION")) {
      const details = { expected: ["JOIN", "LEFT JOIN"], found: first.text };
      throw reader.refuse(first.at, `${first.upper} is not supported; use JOIN or LEFT JOIN.`, details);
    }
    const outer = reader.takeWord("LEFT");
    if (outer) reader.takeWord("OUTER");
    else if (!reader.isWord("JOIN") && !reader.takeWord("INNER")) return joins;
    if (joins.length >= queryLimits.joins) {
      const sentence = `There are more than ${queryLimits.joins} joins.`;
      throw queryFault(reader.loc, first.at, "query_too_complex", sentence);
    }
    reader.expectWord("JOIN");
    const source = parseSource(reader);
    reader.expectWord("ON");
    const on = parseCondition(reader);
    joins.push({ outer, source, on, at: reader.spanFrom(first.at) });
  }
};

const parseOrderItem = (reader: TokenReader): OrderItem => {
  const first = reader.peek().at;
  const expression = parseExpression(reader);
  const descending = reader.takeWord("DESC");
  if (!descending) reader.takeWord("ASC");
  return { expression, descending, at: reader.spanFrom(first) };
};

/** LIMIT and OFFSET, in either order. */
const parseWindow = (reader: TokenReader): { limit: number | null; offset: number } => {
  let limit: number | null = null;
  let offset: number | null = null;
  for (;;) {
    if (limit === null && reader.takeWord("LIMIT")) limit = parseCount(reader);
    else if (offset === null && reader.takeWord("OFFSET")) offset = parseCount(reader);
    else return { limit, offset: offset ?? 0 };
  }
};

const parseCount = (reader: TokenReader): number => {
  const token = reader.peek();
  const isBound = token.kind === "parameter";
  if (!isBound && (token.kind !== "number" || !Number.isInteger(Number(token.text))))
    throw reader.unexpected(["a whole number"]);
  const value = isBound ? reader.takeParameter().value : Number(reader.next().text);
  if (typeof value !== "number" || !Number.isInteger(value) || value < 0)
    throw reader.refuse(token.at, `The value of $${token.text} must be a whole number here.`);
  if (value <= queryLimits.rowNumber) return value;
  throw reader.refuse(token.at, `This number is too large; at most ${queryLimits.rowNumber}.`);
};
