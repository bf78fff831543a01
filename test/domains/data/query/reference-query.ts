import type { Document } from "mongodb";
import type { Aggregate, Expression, Operand, Query } from "#shared/data/query/parse/syntax";
import { evaluate, order, type Value } from "./reference-condition.ts";

/** One row of a join: source name → record, or null. */
type Joined = Readonly<Record<string, Document | null>>;

/**
 * The result of a query by SQL's definition: nested loops, then filter, group, sort, page. A whole lookup is its id.
 */
export const referenceRows = (query: Query, tables: Readonly<Record<string, readonly Document[]>>): Value[][] => {
  const names = [query.from, ...query.joins.map((join) => join.source)].map(
    (source) => source.alias?.text ?? source.object.text,
  );
  const table = (name: string) => tables[name] ?? [];
  const readStored =
    (row: Joined) =>
    (operand: Operand): Value => {
      if (operand.kind === "path")
        return stored(
          row,
          operand.names.map((name) => name.text),
          names[0] as string,
        );
      return "value" in operand ? operand.value : null;
    };
  let rows: Joined[] = table(query.from.object.text).map((record) => ({ [names[0] as string]: record }));
  for (const [index, join] of query.joins.entries()) {
    const name = names[index + 1] as string;
    rows = rows.flatMap((row) => {
      const pairs = table(join.source.object.text)
        .map((record) => ({ ...row, [name]: record }))
        .filter((pair) => evaluate(join.on, readStored(pair)) === true);
      return pairs.length === 0 && join.outer ? [{ ...row, [name]: null }] : pairs;
    });
  }
  const { where, having } = query;
  if (where) rows = rows.filter((row) => evaluate(where, readStored(row)) === true);

  const grouped =
    query.groupBy.length > 0 ||
    having !== null ||
    query.select.some((item) => item.kind === "column" && item.expression.kind === "aggregate");
  const groups = grouped
    ? groupRows(rows, (row) => query.groupBy.map((path) => readStored(row)(path)), query.groupBy.length === 0)
    : rows.map((row) => [row]);
  const readGroup =
    (group: readonly Joined[]) =>
    (operand: Operand): Value => {
      if (operand.kind === "aggregate")
        return aggregate(
          operand,
          group.map((row) => (operand.argument ? readStored(row)(operand.argument) : 1)),
        );
      return group[0] ? readStored(group[0])(operand) : "value" in operand ? operand.value : null;
    };
  const kept = having ? groups.filter((group) => evaluate(having, readGroup(group)) === true) : groups;

  const selected: Expression[] = query.select.flatMap((item) => (item.kind === "column" ? [item.expression] : []));
  let results = kept.map((group) => {
    const read = readGroup(group);
    const ids = names.map((name) => (group[0]?.[name]?.id as string | undefined) ?? null);
    const values = selected.map(read);
    const ties = query.distinct ? values : grouped ? query.groupBy.map(read) : ids;
    return { values, keys: [...query.orderBy.map((item) => read(item.expression)), ...ties] };
  });
  if (query.distinct) {
    const seen = new Set<string>();
    results = results.filter(({ values }) => !seen.has(JSON.stringify(values)) && seen.add(JSON.stringify(values)));
  }
  results.sort((a, b) => {
    for (const [index, key] of a.keys.entries()) {
      const sign = order(key, b.keys[index] ?? null);
      // The id of the first object is sorted in the direction of the last key.
      const record = !grouped && !query.distinct && index === query.orderBy.length;
      const way = query.orderBy[record ? index - 1 : index];
      if (sign !== 0) return way?.descending ? -sign : sign;
    }
    return 0;
  });
  return results.slice(query.offset, query.offset + (query.limit ?? 10_000)).map((result) => result.values);
};

const stored = (row: Joined, names: readonly string[], base: string): Value => {
  const [source, field = "", part] = names.length > 1 && (names[0] as string) in row ? names : [base, ...names];
  const value = row[source as string]?.[field] ?? null;
  return typeof value === "object" && value !== null && "id" in value ? (value[part ?? "id"] ?? null) : value;
};

const groupRows = (rows: readonly Joined[], keyOf: (row: Joined) => Value[], single: boolean): Joined[][] => {
  const groups = new Map<string, Joined[]>(single ? [["[]", []]] : []);
  for (const row of rows) {
    const key = JSON.stringify(keyOf(row));
    groups.set(key, [...(groups.get(key) ?? []), row]);
  }
  return [...groups.values()];
};

const aggregate = ({ name, distinct }: Aggregate, all: readonly Value[]): Value => {
  const values = all.filter((value) => value !== null);
  if (name === "COUNT") return distinct ? new Set(values).size : values.length;
  if (values.length === 0) return null;
  const sum = values.reduce<number>((total, value) => total + Number(value), 0);
  if (name === "SUM" || name === "AVG") return name === "SUM" ? sum : sum / values.length;
  const sorted = [...values].sort(order);
  return sorted.at(name === "MIN" ? 0 : -1) ?? null;
};
