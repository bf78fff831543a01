import type { Aggregate, Expression, Literal, Path, Query, RelativeUnit } from "#shared/data/query/parse/syntax";
import { type ColumnKind, columnsOf, postgresColumns } from "./tables.ts";
import { now } from "./values.ts";

export const text = (value: string): string => `'${value.replaceAll("'", "''")}'`;

/** The meaning of a query's names, and the reference of its dates. */
export interface Printing {
  readonly timeZone: string;
  column(path: Path): { readonly sql: string; readonly kind: ColumnKind };
  /** The expression of a column's alias. */
  alias(path: Path): Expression | undefined;
}

const part = (kind: ColumnKind, name: string): ColumnKind =>
  name === "" ? kind : kind === "lookups" ? "texts" : "text";

/** `visible`: the number of objects that can be named, for the ON of a join. */
export const printingOf = (query: Query, timeZone: string, visible = Number.POSITIVE_INFINITY): Printing => {
  const sources = [query.from, ...query.joins.map((join) => join.source)].slice(0, visible).map((source) => ({
    name: source.alias?.text ?? source.object.text,
    table: source.object.text,
  }));
  return {
    timeZone,
    column: ({ names }) => {
      const written = names.map((name) => name.text);
      const named = written.length > 1 ? sources.find((source) => source.name === written[0]) : undefined;
      const source = named ?? sources[0];
      const [field = "", of = ""] = named ? written.slice(1) : written;
      const { kind } = Object.fromEntries(columnsOf(source?.table ?? ""))[field] ?? { kind: "json" };
      const lookup = kind === "lookup" || kind === "lookups";
      return { sql: `"${source?.name}"."${lookup ? `${field}_${of || "id"}` : field}"`, kind: part(kind, of) };
    },
    alias: ({ names }) => {
      const items = query.select.flatMap((item) => (item.kind === "column" && names.length === 1 ? [item] : []));
      return items.find(({ alias }) => alias?.text === names[0]?.text)?.expression;
    },
  };
};

/** An SQL expression to compare; for dates also its day in the time zone. */
export interface Value {
  readonly sql: string;
  readonly kind: ColumnKind;
}

const aggregateKind = ({ name }: Aggregate, argument: ColumnKind): ColumnKind =>
  name === "MIN" || name === "MAX" ? argument : "number";

export const printExpression = (printing: Printing, expression: Expression): Value => {
  if (expression.kind === "path") {
    const alias = printing.alias(expression);
    return alias ? printExpression(printing, alias) : printing.column(expression);
  }
  const argument = expression.argument && printing.column(expression.argument);
  const distinct = expression.distinct ? "DISTINCT " : "";
  const sql = `${expression.name}(${distinct}${argument?.sql ?? "*"})`;
  return { sql, kind: aggregateKind(expression, argument?.kind ?? "number") };
};

/** The columns of an item of SELECT. */
export const printStar = (query: Query, qualifier: string | null): string[] => {
  const sources = [query.from, ...query.joins.map((join) => join.source)];
  const source = sources.find(({ alias, object }) => (alias ?? object).text === qualifier) ?? query.from;
  return columnsOf(source.object.text).map(
    ([name, { kind }]) => `"${(source.alias ?? source.object).text}"."${postgresColumns(name, kind)[0]?.[0]}"`,
  );
};

export type Bound =
  | { readonly kind: "value"; readonly sql: string }
  /** Whole days: `from` is inclusive, `to` exclusive. */
  | { readonly kind: "days"; readonly from: string; readonly to: string };

const shift = (unit: RelativeUnit, count: number): string =>
  `INTERVAL '${unit === "quarter" ? count * 3 : count} ${unit === "quarter" ? "month" : unit}'`;

const days = (from: string, to: string): Bound => ({ kind: "days", from: `(${from})::date`, to: `(${to})::date` });

/** A literal compared with a column of that kind. */
export const printLiteral = (literal: Literal, kind: ColumnKind, timeZone: string): Bound => {
  const moment = `TIMESTAMPTZ '${now.toISOString()}'`;
  const today = `(${moment} AT TIME ZONE '${timeZone}')::date`;
  if (literal.kind === "relative") {
    if (literal.date === "now") return { kind: "value", sql: kind === "date" ? today : moment };
    const { unit, from, to } = literal.date;
    const start = `date_trunc('${unit}', ${today}::timestamp)`;
    return days(`${start} + ${shift(unit, from)}`, `${start} + ${shift(unit, to + 1)}`);
  }
  if (literal.kind === "null") return { kind: "value", sql: "NULL" };
  const written = "value" in literal ? String(literal.value) : "";
  if (kind === "number") return { kind: "value", sql: `${text(written)}::float8` };
  if (kind === "boolean") return { kind: "value", sql: `${text(written)}::boolean` };
  if (kind === "date") return { kind: "value", sql: `DATE ${text(written)}` };
  if (kind !== "moment") return { kind: "value", sql: text(written) };
  if (/^\d{4}-\d\d-\d\d$/.test(written)) return days(`DATE ${text(written)}`, `DATE ${text(written)} + 1`);
  const offset = /(?:Z|[+-]\d\d:?\d\d)$/.test(written);
  return {
    kind: "value",
    sql: offset ? `TIMESTAMPTZ ${text(written)}` : `(TIMESTAMP ${text(written)} AT TIME ZONE '${timeZone}')`,
  };
};

/** The day of a date or a date-time. */
export const dayOf = ({ sql, kind }: Value, timeZone: string): string =>
  kind === "moment" ? `(${sql} AT TIME ZONE '${timeZone}')::date` : sql;
