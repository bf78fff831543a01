import * as fc from "fast-check";
import type { Condition, Expression, OrderItem, Path, Query, SelectItem } from "#shared/data/query/parse/syntax";
import { conditionOn } from "./conditions.ts";
import { at, type Typed, typedAggregates, typedColumns } from "./operands.ts";
import { anySources, type Sources } from "./sources.ts";

type Clauses = Pick<Query, "distinct" | "select" | "groupBy" | "having" | "orderBy">;

const keyOf = (expression: Expression): string =>
  expression.kind === "aggregate" ? expression.text : expression.names.map(({ text }) => text).join(".");

const columnItem = (expression: Expression, alias: string | null): SelectItem => ({
  kind: "column",
  expression,
  alias: alias === null ? null : { text: alias, at },
  at,
});

/** Columns, some with an alias, with unique keys. */
const selectOf = (columns: readonly Typed[], maxLength = 4): fc.Arbitrary<{ items: SelectItem[]; picked: Typed[] }> =>
  fc
    .uniqueArray(fc.tuple(fc.constantFrom(...columns), fc.boolean()), {
      minLength: 1,
      maxLength,
      selector: ([{ expression }]) => keyOf(expression),
    })
    .map((pairs) => ({
      items: pairs.map(([{ expression }, named], index) => columnItem(expression, named ? `c${index}` : null)),
      picked: pairs.map(([typed]) => typed),
    }));

const ordered = ({ several, comparing }: Typed): boolean => !several && comparing !== "json";

/** By columns, or by the aliases of selected ones. */
const orderOf = (
  columns: readonly Typed[],
  items: readonly SelectItem[],
  picked: readonly Typed[],
): fc.Arbitrary<OrderItem[]> => {
  const aliases = items.flatMap((item, index): Path[] => {
    const orderable = picked[index] !== undefined && ordered(picked[index]);
    return item.kind === "column" && item.alias && orderable ? [{ kind: "path", names: [item.alias], at }] : [];
  });
  const expressions = [...columns.filter(ordered).map(({ expression }) => expression), ...aliases];
  if (expressions.length === 0) return fc.constant([]);
  return fc.array(
    fc
      .tuple(fc.constantFrom(...expressions), fc.boolean())
      .map(([expression, descending]) => ({ expression, descending, at })),
    { maxLength: 3 },
  );
};

const starItems = ({ named }: Sources): fc.Arbitrary<SelectItem[]> =>
  fc
    .subarray(
      named.map(({ name }) => name),
      { minLength: 1 },
    )
    .map((names) => names.map((text): SelectItem => ({ kind: "star", qualifier: { text, at }, at })))
    .chain((items) => fc.constantFrom(items, [{ kind: "star", qualifier: null, at } as const]));

const plainRows = (sources: Sources, columns: readonly Typed[]): fc.Arbitrary<Clauses> =>
  fc
    .oneof(
      { weight: 1, arbitrary: starItems(sources).map((items) => ({ items, picked: [] as Typed[] })) },
      { weight: 5, arbitrary: selectOf(columns) },
    )
    .chain(({ items, picked }) =>
      orderOf(columns, items, picked).map((orderBy) => ({
        distinct: false,
        select: items,
        groupBy: [],
        having: null,
        orderBy,
      })),
    );

const distinctRows = (columns: readonly Typed[]): fc.Arbitrary<Clauses> =>
  selectOf(columns, 3).chain(({ items, picked }) =>
    orderOf(picked, items, picked).map((orderBy) => ({
      distinct: true,
      select: items,
      groupBy: [],
      having: null,
      orderBy,
    })),
  );

const groupedRows = (columns: readonly Typed[]): fc.Arbitrary<Clauses> => {
  const keys = fc.uniqueArray(fc.constantFrom(...columns.filter(ordered)), {
    maxLength: 3,
    selector: ({ expression }) => keyOf(expression),
  });
  return keys.chain((grouped) => {
    const aggregates = typedAggregates(columns);
    const few = fc.uniqueArray(fc.constantFrom(...aggregates), {
      minLength: 1,
      maxLength: 3,
      selector: ({ expression }) => keyOf(expression),
    });
    return fc.tuple(few, fc.boolean()).chain(([used, distinct]) => {
      const all = [...grouped, ...used];
      return selectOf(all).chain(({ items, picked }) =>
        fc
          .tuple(
            orderOf(distinct ? picked : all, items, picked),
            fc.option<Condition | null>(conditionOn(all), { nil: null }),
          )
          .map(([orderBy, having]) => {
            const groupBy = grouped.map(({ expression }) => expression as Path);
            // Without an aggregate or a key these would be plain columns.
            const isGrouped = groupBy.length > 0 || picked.some(({ expression }) => expression.kind === "aggregate");
            const select = isGrouped ? items : [columnItem((used[0] as Typed).expression, null)];
            return { distinct: distinct && isGrouped, select, groupBy, having, orderBy: isGrouped ? orderBy : [] };
          }),
      );
    });
  });
};

const page = fc.record({
  limit: fc.oneof(
    { weight: 4, arbitrary: fc.constant(null) },
    { weight: 4, arbitrary: fc.integer({ min: 1, max: 12 }) },
    { weight: 1, arbitrary: fc.constantFrom(0, 1, 500) },
  ),
  offset: fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, { weight: 2, arbitrary: fc.nat(8) }),
});

/** Any query that compiles over the tables. */
export const comparableQuery: fc.Arbitrary<Query> = anySources.chain((sources) => {
  const columns = typedColumns(sources.named);
  const clauses = fc.oneof(
    { weight: 4, arbitrary: plainRows(sources, columns) },
    { weight: 2, arbitrary: distinctRows(columns) },
    { weight: 4, arbitrary: groupedRows(columns) },
  );
  const where = fc.option<Condition | null>(conditionOn(columns), { nil: null, freq: 3 });
  return fc.tuple(clauses, where, page).map(([shape, condition, { limit, offset }]) => ({
    explain: false,
    from: sources.from,
    joins: sources.joins,
    where: condition,
    limit,
    offset,
    at,
    ...shape,
  }));
});
