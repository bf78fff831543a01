import type { Expression, Query, SelectItem } from "../parse/syntax.ts";
import type { QueryScope } from "./catalog.ts";
import type { Column } from "./column.ts";
import type { Header, OrderKey, OutputColumn, Plan } from "./plan.ts";
import { always, conjuncts } from "./predicate.ts";
import { type ResolveExpression, resolveCondition } from "./resolve-condition.ts";
import { type Groups, hasAggregates, resolveGroups } from "./resolve-grouping.ts";
import { resolveJoins } from "./resolve-joins.ts";
import { createResolver, type Resolver } from "./resolver.ts";

/**
 * Syntax tree → plan. Raises `validation_failed` with an issue for every unknown name and every value that does not
 * fit.
 */
export const resolveQuery = (query: Query, scope: QueryScope): Plan => {
  const resolver = createResolver(query, scope);
  const stored: ResolveExpression = (expression, use) => {
    if (expression.kind === "path") return resolver.column(expression, use);
    const sentence = `${expression.name} cannot stand here; conditions on aggregates belong to HAVING.`;
    return resolver.fail(expression.at, "query_structure", sentence, { found: expression.text });
  };
  const { joins, where } = resolveJoins(resolver, query.joins, stored);
  const condition = query.where ? resolveCondition(resolver, query.where, stored) : always;
  const groups = hasAggregates(query) ? resolveGroups(resolver, query) : null;
  const columns = resolveColumns(resolver, query, groups);
  const named = byAlias(resolver, query, columns, groups ? groups.column : stored);
  const having = query.having ? resolveCondition(resolver, query.having, named) : always;
  const order = resolveOrder(resolver, query, columns, named);
  resolver.settle();
  return {
    sources: resolver.sources,
    joins,
    where: [...where, ...conjuncts(condition)],
    grouping: groups && { keys: groups.keys, aggregates: groups.aggregates, having },
    distinct: query.distinct,
    columns: [...columns.values()],
    order,
    limit: query.limit,
    offset: query.offset,
  };
};

const headerOf = (key: string, label: string, column: Column): Header => {
  const { type, format } = column.field;
  return { api_name: key, label, type, ...(format === undefined ? {} : { format }) };
};

/** By key. A repeated expression under its key counts once; another expression under a used key is refused. */
const resolveColumns = (resolver: Resolver, query: Query, groups: Groups | null): Map<string, OutputColumn> => {
  const columns = new Map<string, OutputColumn>();
  const add = (item: SelectItem, key: string, label: string, column: Column) => {
    const known = columns.get(key)?.column;
    // Assigning this name would set an object's prototype.
    if (key === "__proto__")
      resolver.fail(item.at, "query_structure", `A column cannot be called ${key}.`, { found: key });
    else if (query.distinct && resolver.usable(column, item.at) === null) return;
    else if (known && (known.source !== column.source || known.output !== column.output)) {
      resolver.fail(item.at, "query_structure", `Two columns are called ${key}; give one an alias with AS.`, {
        found: key,
      });
    } else columns.set(key, { header: headerOf(key, label, column), column });
  };
  for (const item of query.select) {
    if (item.kind === "star") {
      addStar(resolver, item, groups, add);
      continue;
    }
    const { expression, alias } = item;
    const column = groups
      ? groups.column(expression)
      : expression.kind === "path"
        ? resolver.column(expression, "output")
        : null;
    if (!column) continue;
    const label = alias?.text ?? column.field.name;
    add(item, alias?.text ?? keyOf(resolver, expression), label, column);
  }
  return columns;
};

const addStar = (
  resolver: Resolver,
  item: Extract<SelectItem, { kind: "star" }>,
  groups: Groups | null,
  add: (item: SelectItem, key: string, label: string, column: Column) => void,
) => {
  if (groups) {
    const sentence = "* cannot stand beside aggregates or GROUP BY; name the fields.";
    resolver.fail(item.at, "query_structure", sentence, { found: "*", expected: ["a field", "an aggregate"] });
    return;
  }
  const source = item.qualifier ? resolver.source(item.qualifier.text) : resolver.sources[0];
  if (!source) {
    const names = resolver.sources.map((known) => known.name);
    const sentence = `${item.qualifier?.text} is no object of this query.`;
    resolver.fail(item.at, "unknown_object", sentence, { found: item.qualifier?.text ?? "*", expected: names });
    return;
  }
  const prefix = item.qualifier ? `${source.name}.` : "";
  for (const column of resolver.columns(source)) add(item, prefix + column.field.api_name, column.field.name, column);
};

/** The key of a column is the expression as written, with the name of the object in the query. */
const keyOf = (resolver: Resolver, expression: Expression): string => {
  if (expression.kind === "aggregate") return expression.text;
  const names = expression.names.map((name) => name.text);
  const source = names.length > 1 ? resolver.source(names[0] ?? "") : undefined;
  return source ? [source.name, ...names.slice(1)].join(".") : names.join(".");
};

/** In HAVING and ORDER BY a single name may be a column's alias, which precedes a field. */
const byAlias = (
  resolver: Resolver,
  query: Query,
  columns: ReadonlyMap<string, OutputColumn>,
  otherwise: ResolveExpression,
): ResolveExpression => {
  const aliases = new Set(
    query.select.flatMap((item) => (item.kind === "column" && item.alias ? [item.alias.text] : [])),
  );
  return (expression, use) => {
    const name = expression.kind === "path" && expression.names.length === 1 ? expression.names[0]?.text : undefined;
    const aliased = name !== undefined && aliases.has(name) ? columns.get(name)?.column : undefined;
    return aliased === undefined ? otherwise(expression, use) : resolver.usable(aliased, expression.at, use);
  };
};

const resolveOrder = (
  resolver: Resolver,
  query: Query,
  columns: ReadonlyMap<string, OutputColumn>,
  named: ResolveExpression,
): OrderKey[] => {
  const order: OrderKey[] = [];
  const selected = [...columns.values()].map((output) => output.column);
  for (const item of query.orderBy) {
    const column = named(item.expression);
    if (!column) continue;
    const name = column.field.api_name;
    if (column.list || column.kind === "json") {
      resolver.fail(item.at, "query_type", `${name} cannot be ordered by: it has no single value.`);
      continue;
    }
    if (query.distinct && !selected.some((known) => known.source === column.source && known.path === column.path)) {
      const sentence = `With DISTINCT the rows can only be ordered by selected columns, which ${name} is not.`;
      resolver.fail(item.at, "query_structure", sentence);
      continue;
    }
    order.push({ column, descending: item.descending });
  }
  return order;
};
