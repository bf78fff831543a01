import type { Document } from "mongodb";
import { type Column, outputPlaceOf, placeOf } from "../analyze/column.ts";
import type { Grouping, GroupKey, Plan, PlannedAggregate } from "../analyze/plan.ts";
import { matchStage, toFilter } from "./filter.ts";

/** Missing and null are one group. */
const nullable = (place: string): Document => ({ $ifNull: [`$${place}`, null] });

const isNull = (column: Column): Document => {
  const value = nullable(placeOf(column));
  return column.list ? { $in: [value, [null, []]] } : { $eq: [value, null] };
};

const countPresent = (column: Column): Document => ({ $sum: { $cond: [isNull(column), 0, 1] } });

/** A list without values is NULL too. */
const distinctValue = (column: Column): Document =>
  column.list ? { $cond: [isNull(column), null, `$${placeOf(column)}`] } : nullable(placeOf(column));

/** Beside a sum: the greatest of what it adds, which is null where there is nothing to add. */
const mostSlot = (slot: string): string => `${slot}m`;

const accumulators = ({ slot, name, distinct, column }: PlannedAggregate): Document => {
  if (column === null) return { [slot]: { $sum: 1 } };
  const place = `$${placeOf(column)}`;
  switch (name) {
    case "COUNT":
      return { [slot]: distinct ? { $addToSet: place } : countPresent(column) };
    case "SUM":
      return { [slot]: { $sum: place }, [mostSlot(slot)]: { $max: place } };
    case "AVG":
      return { [slot]: { $avg: place } };
    case "MIN":
      return { [slot]: { $min: place } };
    case "MAX":
      return { [slot]: { $max: place } };
  }
};

/** The sum of nothing is NULL in SQL and 0 in MongoDB; a set of values may hold a null that does not count. */
const completion = ({ slot, name, distinct, column }: PlannedAggregate): Document => {
  if (column === null) return {};
  if (name === "SUM") return { [slot]: { $cond: [{ $eq: [`$${mostSlot(slot)}`, null] }, null, `$${slot}`] } };
  return name === "COUNT" && distinct ? { [slot]: { $size: { $setDifference: [`$${slot}`, [null]] } } } : {};
};

/** A single key is the id itself, so that no document is made for each record. `groupPathOf` says where a key is. */
const groupId = (keys: readonly GroupKey[]): Document | null => {
  const [first, ...others] = keys.map(({ slot, column }) => [slot, nullable(placeOf(column))] as const);
  if (first === undefined) return null;
  return others.length === 0 ? first[1] : Object.fromEntries([first, ...others]);
};

export const groupStages = ({ keys, aggregates, having }: Grouping): Document[] => {
  const wholes = keys.flatMap(({ whole, column }) =>
    whole === null ? [] : [[whole, { $first: `$${outputPlaceOf(column)}` }] as const],
  );
  const group: Document = { _id: groupId(keys), ...Object.fromEntries(wholes) };
  for (const aggregate of aggregates) Object.assign(group, accumulators(aggregate));
  const completed: Document = Object.assign({}, ...aggregates.map(completion));
  const judged = keys.length === 0 && having.kind !== "always";
  const stages: Document[] = judged ? evenIfEmpty(group, aggregates) : [{ $group: group }];
  if (Object.keys(completed).length > 0) stages.push({ $set: completed });
  return [...stages, ...matchStage([toFilter(having)])];
};

/** One group even of no rows, because HAVING may keep it: `HAVING COUNT(*) = 0`. */
const evenIfEmpty = (group: Document, aggregates: readonly PlannedAggregate[]): Document[] => {
  const empty: Document = Object.assign({}, ...aggregates.map(emptyAccumulators));
  return [
    { $facet: { groups: [{ $group: group }] } },
    { $replaceWith: { $ifNull: [{ $first: "$groups" }, { $literal: empty }] } },
  ];
};

const emptyAccumulators = ({ slot, name, distinct, column }: PlannedAggregate): Document => {
  if (name === "COUNT") return { [slot]: distinct && column ? [] : 0 };
  return name === "SUM" ? { [slot]: 0, [mostSlot(slot)]: null } : { [slot]: null };
};

/**
 * What an aggregate over no rows returns: one row in SQL, `COUNT` being 0 and all else NULL, and nothing in MongoDB.
 * Null if there is no such row, or if the pipeline itself makes it because HAVING has to judge it.
 */
export const emptyRowOf = ({ grouping, columns }: Plan, slots: readonly string[]): Document | null => {
  if (grouping === null || grouping.keys.length > 0) return null;
  const { having, aggregates } = grouping;
  if (having.kind !== "always" || !having.holds) return null;
  const counts = new Set(aggregates.filter((aggregate) => aggregate.name === "COUNT").map(({ slot }) => slot));
  return Object.fromEntries(columns.map(({ column }, index) => [slots[index], counts.has(column.path) ? 0 : null]));
};

export interface Distinct {
  readonly stages: Document[];
  /** Where a column is found afterwards. */
  replace(column: Column): Column;
}

/** Each combination of the columns' values once. A lookup counts by its id. */
export const distinctStages = (columns: readonly Column[]): Distinct => {
  const find = (column: Column): number =>
    columns.findIndex((known) => known.source === column.source && known.path === column.path);
  const id: Document = {};
  const group: Document = { _id: id };
  columns.forEach((column, index) => {
    if (find(column) === index) id[`d${index}`] = distinctValue(column);
    if (column.output !== column.path) group[`w${index}`] = { $first: `$${outputPlaceOf(column)}` };
  });
  const replace = (column: Column): Column => {
    const path = `_id.d${find(column)}`;
    const whole = columns.findIndex((known) => known.source === column.source && known.output === column.output);
    return { ...column, source: -1, path, output: column.output === column.path ? path : `w${whole}` };
  };
  return { stages: [{ $group: group }], replace };
};
