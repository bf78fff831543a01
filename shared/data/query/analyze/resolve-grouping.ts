import type { Aggregate, AggregateName, Expression, Path, Query } from "../parse/syntax.ts";
import type { QueryField } from "./catalog.ts";
import type { Column, Kind } from "./column.ts";
import { type GroupKey, groupPathOf, type PlannedAggregate } from "./plan.ts";
import type { Resolver } from "./resolver.ts";

/** The keys and aggregates of a grouped query, for use by its other clauses. */
export interface Groups {
  readonly keys: readonly GroupKey[];
  readonly aggregates: readonly PlannedAggregate[];
  /** The column after grouping for an expression. */
  readonly column: (expression: Expression) => Column | null;
}

const suitable: Record<Exclude<AggregateName, "COUNT">, { kinds: readonly Kind[]; what: string }> = {
  SUM: { kinds: ["number"], what: "a number" },
  AVG: { kinds: ["number"], what: "a number" },
  MIN: { kinds: ["number", "text", "date", "datetime"], what: "a number, a date or text" },
  MAX: { kinds: ["number", "text", "date", "datetime"], what: "a number, a date or text" },
};

const groupColumn = (path: string, output: string, kind: Kind, field: QueryField): Column => ({
  source: -1,
  path,
  output,
  kind,
  list: false,
  reference: null,
  mask: null,
  hidden: null,
  field,
});

export const hasAggregates = (query: Query): boolean =>
  query.groupBy.length > 0 ||
  query.having !== null ||
  query.select.some((item) => item.kind === "column" && item.expression.kind === "aggregate") ||
  query.orderBy.some((item) => item.expression.kind === "aggregate");

export const resolveGroups = (resolver: Resolver, query: Query): Groups => {
  const keys: GroupKey[] = [];
  const aggregates: PlannedAggregate[] = [];
  const keyOf = (column: Column): GroupKey | undefined =>
    keys.find((known) => known.column.source === column.source && known.column.path === column.path);
  for (const path of query.groupBy) {
    const column = resolver.column(path);
    if (!column) continue;
    if (column.list || column.kind === "json") {
      const sentence = `${column.field.api_name} cannot be grouped by: it has no single value.`;
      resolver.fail(path.at, "query_type", sentence);
      continue;
    }
    if (keyOf(column) === undefined) keys.push({ resultKey: `k${keys.length}`, column, whole: null });
  }

  const keyColumn = (path: Path): Column | null => {
    const column = resolver.column(path);
    if (!column) return null;
    const key = keyOf(column);
    if (!key) {
      const written = path.names.map((name) => name.text).join(".");
      const sentence = `${written} must stand in GROUP BY or inside an aggregate such as MAX(${written}).`;
      return resolver.fail(path.at, "query_structure", sentence, { found: written });
    }
    const groupPath = groupPathOf(keys, key);
    if (column.reference === null) return { ...column, source: -1, path: groupPath, output: groupPath };
    // A lookup and its id are one key. Selecting the lookup gives the whole reference.
    const whole = `v${key.resultKey}`;
    keys[keys.indexOf(key)] = { ...key, column, whole };
    return { ...column, source: -1, path: groupPath, output: whole };
  };

  const aggregateColumn = (aggregate: Aggregate): Column | null => {
    const column = aggregate.argument && resolver.column(aggregate.argument);
    if (aggregate.argument && !column) return null;
    const { name, distinct } = aggregate;
    if (column && !acceptable(resolver, aggregate, column)) return null;
    const same = (other: PlannedAggregate): boolean =>
      other.name === name &&
      other.distinct === distinct &&
      other.column?.source === column?.source &&
      other.column?.path === column?.path;
    const resultKey = aggregates.find(same)?.resultKey ?? `a${aggregates.length}`;
    if (!aggregates.some(same)) aggregates.push({ resultKey, name, distinct, column });
    if (name === "COUNT" || !column) {
      return groupColumn(resultKey, resultKey, "number", {
        api_name: aggregate.text,
        name: aggregate.text,
        type: "number",
      });
    }
    return groupColumn(resultKey, resultKey, column.kind, {
      ...column.field,
      api_name: aggregate.text,
      name: aggregate.text,
    });
  };

  return {
    keys,
    aggregates,
    column: (expression) => (expression.kind === "path" ? keyColumn(expression) : aggregateColumn(expression)),
  };
};

const acceptable = (resolver: Resolver, aggregate: Aggregate, column: Column): boolean => {
  const { name, distinct, at } = aggregate;
  const field = column.field.api_name;
  if (name === "COUNT") {
    if (!distinct || (!column.list && column.kind !== "json")) return true;
    resolver.fail(at, "query_type", `COUNT(DISTINCT …) needs a field with a single value, which ${field} has not.`);
    return false;
  }
  const { kinds, what } = suitable[name];
  if (!kinds.includes(column.kind) || column.list || column.reference !== null) {
    resolver.fail(at, "query_type", `${name} needs ${what}, which ${field} is not.`, { expected: [what] });
    return false;
  }
  if (!distinct || name === "MIN" || name === "MAX") return true;
  resolver.fail(at, "query_structure", `DISTINCT is possible in COUNT, MIN and MAX, not in ${name}.`);
  return false;
};
