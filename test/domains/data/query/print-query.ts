import type { Condition, Join, Literal, Operand, Query, SelectItem, SourceName } from "#shared/data/query/parse/syntax";

/** A syntax tree as text, with only the necessary parentheses. Names are in backquotes. */
export const printQuery = (query: Query): string =>
  [
    query.explain ? "EXPLAIN" : "",
    `SELECT ${query.distinct ? "DISTINCT " : ""}${query.select.map(printItem).join(", ")}`,
    `FROM ${printSource(query.from)}`,
    ...query.joins.map(printJoin),
    query.where ? `WHERE ${printCondition(query.where)}` : "",
    query.groupBy.length > 0 ? `GROUP BY ${query.groupBy.map(printOperand).join(", ")}` : "",
    query.having ? `HAVING ${printCondition(query.having)}` : "",
    query.orderBy.length > 0
      ? `ORDER BY ${query.orderBy.map((item) => `${printOperand(item.expression)} ${item.descending ? "DESC" : "ASC"}`).join(", ")}`
      : "",
    query.limit === null ? "" : `LIMIT ${query.limit}`,
    query.offset === 0 ? "" : `OFFSET ${query.offset}`,
  ]
    .filter((part) => part !== "")
    .join(" ");

const quote = (name: string): string => `\`${name.replaceAll("`", "``")}\``;

const printItem = (item: SelectItem): string => {
  if (item.kind === "star") return item.qualifier ? `${quote(item.qualifier.text)}.*` : "*";
  return `${printOperand(item.expression)}${item.alias ? ` AS ${quote(item.alias.text)}` : ""}`;
};

const printSource = (source: SourceName): string =>
  `${quote(source.object.text)}${source.alias ? ` AS ${quote(source.alias.text)}` : ""}`;

const printJoin = (join: Join): string =>
  `${join.outer ? "LEFT JOIN" : "JOIN"} ${printSource(join.source)} ON ${printCondition(join.on)}`;

const printLiteral = (literal: Literal): string => {
  switch (literal.kind) {
    case "string":
      return `'${literal.value.replaceAll("'", "''")}'`;
    case "number":
      return Object.is(literal.value, -0) ? "-0" : String(literal.value);
    case "boolean":
      return literal.value ? "TRUE" : "FALSE";
    case "relative":
      return literal.word;
    default:
      return literal.kind.toUpperCase();
  }
};

const printOperand = (operand: Operand): string => {
  if (operand.kind === "path") return operand.names.map((name) => quote(name.text)).join(".");
  return operand.kind === "aggregate" ? operand.text : printLiteral(operand);
};

const bare = new Set<Condition["kind"]>(["comparison", "between", "in", "like", "is-null"]);

export const printCondition = (condition: Condition): string => {
  const inner = (item: Condition): string => {
    const needsNone = bare.has(item.kind) || item.kind === "not" || (item.kind === "and" && condition.kind === "or");
    return needsNone ? printCondition(item) : `(${printCondition(item)})`;
  };
  const not = "negated" in condition && condition.negated ? "NOT " : "";
  switch (condition.kind) {
    case "and":
    case "or":
      return condition.items.map(inner).join(condition.kind === "and" ? " AND " : " OR ");
    case "not":
      return `NOT ${bare.has(condition.item.kind) || condition.item.kind === "not" ? printCondition(condition.item) : `(${printCondition(condition.item)})`}`;
    case "comparison":
      return `${printOperand(condition.left)} ${condition.operator} ${printOperand(condition.right)}`;
    case "between":
      return `${printOperand(condition.left)} ${not}BETWEEN ${printOperand(condition.low)} AND ${printOperand(condition.high)}`;
    case "in":
      return `${printOperand(condition.left)} ${not}IN (${condition.values.map(printLiteral).join(", ")})`;
    case "like":
      return `${printOperand(condition.left)} ${not}LIKE ${printLiteral(condition.pattern)}`;
    case "is-null":
      return `${printOperand(condition.left)} IS ${not}NULL`;
  }
};
