import type {
  ComparisonOperator,
  Condition,
  Expression,
  Literal,
  Operand,
  Query,
} from "#shared/data/query/parse/syntax";
import {
  dayOf,
  type Printing,
  printExpression,
  printingOf,
  printLiteral,
  printStar,
  text,
  type Value,
} from "./print-operand.ts";

const isExpression = (operand: Operand): operand is Expression =>
  operand.kind === "path" || operand.kind === "aggregate";

const mirrored = { "=": "=", "!=": "!=", "<": ">", ">": "<", "<=": ">=", ">=": "<=" } as const;

const severalKinds = ["texts", "lookups"];

/** A comparison in the language's terms: whole days for dates, any or none of a list's values. */
const compare = (printing: Printing, value: Value, operator: ComparisonOperator, literal: Literal): string => {
  const { timeZone } = printing;
  const bound = printLiteral(literal, value.kind, timeZone);
  if (severalKinds.includes(value.kind) && bound.kind === "value") {
    const equal = `(${bound.sql} = ANY(${value.sql}))`;
    return operator === "=" ? equal : `(NOT ${equal})`;
  }
  if (bound.kind === "value") return `(${value.sql} ${operator} ${bound.sql})`;
  const day = dayOf(value, timeZone);
  const tests: Record<ComparisonOperator, string> = {
    "=": `${day} >= ${bound.from} AND ${day} < ${bound.to}`,
    "!=": `${day} < ${bound.from} OR ${day} >= ${bound.to}`,
    "<": `${day} < ${bound.from}`,
    ">=": `${day} >= ${bound.from}`,
    "<=": `${day} < ${bound.to}`,
    ">": `${day} >= ${bound.to}`,
  };
  return `(${tests[operator]})`;
};

const comparison = (printing: Printing, left: Operand, operator: ComparisonOperator, right: Operand): string => {
  if (isExpression(left)) {
    const value = printExpression(printing, left);
    if (!isExpression(right)) return compare(printing, value, operator, right);
    const other = printExpression(printing, right);
    // Only the condition of a join may have a list on one side.
    if (severalKinds.includes(value.kind)) return `(${other.sql} = ANY(${value.sql}))`;
    if (severalKinds.includes(other.kind)) return `(${value.sql} = ANY(${other.sql}))`;
    return `(${value.sql} ${operator} ${other.sql})`;
  }
  if (isExpression(right)) return compare(printing, printExpression(printing, right), mirrored[operator], left);
  const plain = (literal: Literal) => ("value" in literal ? JSON.stringify(literal.value) : "NULL");
  return `(${plain(left)} ${operator} ${plain(right)})`;
};

const like = (value: Value, pattern: Literal): string => {
  const sql = pattern.kind === "string" ? text(pattern.value) : "NULL";
  if (!severalKinds.includes(value.kind)) return `(${value.sql} ILIKE ${sql})`;
  const some = `EXISTS (SELECT FROM unnest(${value.sql}) AS one WHERE one ILIKE ${sql})`;
  return `(CASE WHEN ${value.sql} IS NULL OR ${sql} IS NULL THEN NULL ELSE ${some} END)`;
};

const printCondition = (printing: Printing, condition: Condition): string => {
  const not = (negated: boolean, sql: string) => (negated ? `(NOT ${sql})` : sql);
  switch (condition.kind) {
    case "and":
    case "or":
      return `(${condition.items.map((item) => printCondition(printing, item)).join(` ${condition.kind} `)})`;
    case "not":
      return `(NOT ${printCondition(printing, condition.item)})`;
    case "comparison":
      return comparison(printing, condition.left, condition.operator, condition.right);
    case "between": {
      const low = comparison(printing, condition.left, ">=", condition.low);
      return not(condition.negated, `(${low} AND ${comparison(printing, condition.left, "<=", condition.high)})`);
    }
    case "in": {
      const value = printExpression(printing, condition.left);
      const simple = condition.values.map((literal) => printLiteral(literal, value.kind, printing.timeZone));
      if (!severalKinds.includes(value.kind) && simple.every((bound) => bound.kind === "value")) {
        return `(${value.sql} ${condition.negated ? "NOT " : ""}IN (${simple.map((bound) => bound.sql).join(", ")}))`;
      }
      const found = condition.values.map((literal) => compare(printing, value, "=", literal));
      return not(condition.negated, `(${found.join(" OR ")})`);
    }
    case "like":
      return not(condition.negated, like(printExpression(printing, condition.left), condition.pattern));
    case "is-null":
      return `(${printExpression(printing, condition.left).sql} IS ${condition.negated ? "NOT " : ""}NULL)`;
  }
};

/**
 * PostgreSQL leaves the order of equal rows open. The ids break ties; for groups their keys, for DISTINCT its columns.
 */
const tieBreakers = (printing: Printing, query: Query, selected: readonly string[], grouped: boolean): string[] => {
  if (query.distinct) return [...selected];
  if (grouped) return query.groupBy.map((path) => printExpression(printing, path).sql);
  const sources = [query.from, ...query.joins.map((join) => join.source)];
  return sources.map(({ alias, object }) => `"${(alias ?? object).text}"."id"`);
};

const isGrouped = (query: Query): boolean =>
  query.groupBy.length > 0 ||
  query.having !== null ||
  query.select.some((item) => item.kind === "column" && item.expression.kind === "aggregate");

/** The query in SQL; `limit` is used if it has none itself. */
export const printPostgres = (query: Query, timeZone: string, limit: number): string => {
  const printing = printingOf(query, timeZone);
  const selected = query.select.flatMap((item) =>
    item.kind === "star"
      ? printStar(query, item.qualifier?.text ?? null)
      : [printExpression({ ...printing, alias: () => undefined }, item.expression).sql],
  );
  const order = query.orderBy.map(({ expression, descending }) => {
    const { sql } = printExpression(printing, expression);
    return `${sql} ${descending ? "DESC NULLS LAST" : "ASC NULLS FIRST"}`;
  });
  const last = query.orderBy.at(-1)?.descending === true && !query.distinct && !isGrouped(query);
  const ties = tieBreakers(printing, query, selected, isGrouped(query)).map((sql, index) =>
    last && index === 0 ? `${sql} DESC` : `${sql} NULLS FIRST`,
  );
  const keys = [...order, ...ties];
  const source = ({ object, alias }: Query["from"]) => `"${object.text}" AS "${(alias ?? object).text}"`;
  const where = { ...printing, alias: () => undefined };
  const on = (index: number) => ({ ...printingOf(query, timeZone, index + 2), alias: () => undefined });
  return [
    `SELECT ${query.distinct ? "DISTINCT " : ""}${selected.join(", ")}`,
    `FROM ${source(query.from)}`,
    ...query.joins.map(
      (join, index) =>
        `${join.outer ? "LEFT " : ""}JOIN ${source(join.source)} ON ${printCondition(on(index), join.on)}`,
    ),
    ...(query.where ? [`WHERE ${printCondition(where, query.where)}`] : []),
    ...(query.groupBy.length > 0
      ? [`GROUP BY ${query.groupBy.map((path) => printExpression(where, path).sql).join(", ")}`]
      : []),
    ...(query.having ? [`HAVING ${printCondition(printing, query.having)}`] : []),
    ...(keys.length > 0 ? [`ORDER BY ${keys.join(", ")}`] : []),
    `LIMIT ${query.limit ?? limit} OFFSET ${query.offset}`,
  ].join("\n");
};
