import type { Document } from "mongodb";
import { type Column, outputPathOf, pathOf } from "../analyze/column.ts";
import type { Grouping, GroupKey, Plan, PlannedAggregate } from "../analyze/plan.ts";
import { matchStage, toFilter } from "./filter.ts";

/** Missing and null are one group. */
const nullable = (path: string): Document => ({ $ifNull: [`$${path}`, null] });

const isNull = (column: Column): Document => {
  const value = nullable(pathOf(column));
  return column.list ? { $in: [value, [null, []]] } : { $eq: [value, null] };
};

const countPresent = (column: Column): Document => ({ $sum: { $cond: [isNull(column), 0, 1] } });

/** A list without values is NULL too. */
const distinctValue = (column: Column): Document =>
  column.list ? { $cond: [isNull(column), null, `$${pathOf(column)}`] } : nullable(pathOf(column));

/** Beside a sum: the maximum of its operands, which is null if there are none. */
const maximumKey = (resultKey: string): string => `${resultKey}m`;

const accumulators = ({ resultKey, name, distinct, column }: PlannedAggregate): Document => {
  if (column === null) return { [resultKey]: { $sum: 1 } };
  const path = `$${pathOf(column)}`;
  switch (name) {
    case "COUNT":
      return { [resultKey]: distinct ? { $addToSet: path } : countPresent(column) };
    case "SUM":
      return { [resultKey]: { $sum: path }, [maximumKey(resultKey)]: { $max: path } };
    case "AVG":
      return { [resultKey]: { $avg: path } };
    case "MIN":
      return { [resultKey]: { $min: path } };
    case "MAX":
      return { [resultKey]: { $max: path } };
  }
};

/** The sum of no values is NULL in SQL and 0 in MongoDB. A set of values may hold a null, which does not count. */
const completion = ({ resultKey, name, distinct, column }: PlannedAggregate): Document => {
  if (column === null) return {};
  if (name === "SUM")
    return { [resultKey]: { $cond: [{ $eq: [`$${maximumKey(resultKey)}`, null] }, null, `$${resultKey}`] } };
  return name === "COUNT" && distinct ? { [resultKey]: { $size: { $setDifference: [`$${resultKey}`, [null]] } } } : {};
};

/**
 * A single key is the `_id` itself, so that no document is made for each record. `groupPathOf` gives the path of a key.
 */
const groupId = (keys: readonly GroupKey[]): Document | null => {
  const [first, ...others] = keys.map(({ resultKey, column }) => [resultKey, nullable(pathOf(column))] as const);
  if (first === undefined) return null;
  return others.length === 0 ? first[1] : Object.fromEntries([first, ...others]);
};

export const groupStages = ({ keys, aggregates, having }: Grouping): Document[] => {
  const wholes = keys.flatMap(({ whole, column }) =>
    whole === null ? [] : [[whole, { $first: `$${outputPathOf(column)}` }] as const],
  );
  const group: Document = { _id: groupId(keys), ...Object.fromEntries(wholes) };
  for (const aggregate of aggregates) Object.assign(group, accumulators(aggregate));
  const completed: Document = Object.assign({}, ...aggregates.map(completion));
  const judged = keys.length === 0 && having.kind !== "always";
  const stages: Document[] = judged ? evenIfEmpty(group, aggregates) : [{ $group: group }];
  if (Object.keys(completed).length > 0) stages.push({ $set: completed });
  return [...stages, ...matchStage([toFilter(having)])];
};

/** A group even without rows, because HAVING may keep it: `HAVING COUNT(*) = 0`. */
const evenIfEmpty = (group: Document, aggregates: readonly PlannedAggregate[]): Document[] => {
  const empty: Document = Object.assign({}, ...aggregates.map(emptyAccumulators));
  return [
    { $facet: { groups: [{ $group: group }] } },
    { $replaceWith: { $ifNull: [{ $first: "$groups" }, { $literal: empty }] } },
  ];
};

const emptyAccumulators = ({ resultKey, name, distinct, column }: PlannedAggregate): Document => {
  if (name === "COUNT") return { [resultKey]: distinct && column ? [] : 0 };
  return name === "SUM" ? { [resultKey]: 0, [maximumKey(resultKey)]: null } : { [resultKey]: null };
};

/**
 * The result of an aggregate over no rows: in SQL one row with `COUNT` 0 and NULL for the rest, in MongoDB nothing.
 * Null if there is no such row, or if the pipeline makes it because HAVING must evaluate it.
 */
export const emptyRowOf = ({ grouping, columns }: Plan, resultKeys: readonly string[]): Document | null => {
  if (grouping === null || grouping.keys.length > 0) return null;
  const { having, aggregates } = grouping;
  if (having.kind !== "always" || !having.holds) return null;
  const counts = new Set(
    aggregates.filter((aggregate) => aggregate.name === "COUNT").map(({ resultKey }) => resultKey),
  );
  return Object.fromEntries(
    columns.map(({ column }, index) => [resultKeys[index], counts.has(column.path) ? 0 : null]),
  );
};

export interface Distinct {
  readonly stages: Document[];
  /** The path of a column after this stage. */
  replace(column: Column): Column;
}

/** Each combination of the columns' values once. Lookups are compared by their id. */
export const distinctStages = (columns: readonly Column[]): Distinct => {
  const find = (column: Column): number =>
    columns.findIndex((known) => known.source === column.source && known.path === column.path);
  const id: Document = {};
  const group: Document = { _id: id };
  columns.forEach((column, index) => {
    if (find(column) === index) id[`d${index}`] = distinctValue(column);
    if (column.output !== column.path) group[`w${index}`] = { $first: `$${outputPathOf(column)}` };
  });
  const replace = (column: Column): Column => {
    const path = `_id.d${find(column)}`;
    const whole = columns.findIndex((known) => known.source === column.source && known.output === column.output);
    return { ...column, source: -1, path, output: column.output === column.path ? path : `w${whole}` };
  };
  return { stages: [{ $group: group }], replace };
};
