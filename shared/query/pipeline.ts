import type { Document } from "mongodb";
import type { QueryAccess } from "./catalog.ts";
import { joinSlot, outputPlaceOf, placeOf } from "./column.ts";
import { distinctStages, groupStages } from "./group-stages.ts";
import { joinStages, keepsRows } from "./join-stages.ts";
import { queryLimits } from "./limits.ts";
import { matchStage } from "./match-stage.ts";
import { baseOf, type OrderKey, type OutputColumn, type Plan } from "./plan.ts";
import { all, type Predicate, sourcesOf, toFilter } from "./predicate.ts";

export interface Pipeline {
  readonly collection: string;
  readonly stages: Document[];
  /** Where each output column is found in the documents that come out. */
  readonly slots: readonly string[];
}

/** Plan → one aggregation pipeline. The caller's filter is the first thing that happens to every collection. */
export const buildPipeline = (plan: Plan, access: QueryAccess): Pipeline => {
  const base = baseOf(plan).object.api_name;
  const own = (predicate: Predicate): boolean => [...sourcesOf(predicate)].every((source) => source === 0);
  const stages = matchStage([access.filter(base), toFilter(all(plan.where.filter(own)))]);
  const later = plan.where.filter((predicate) => !own(predicate));
  if (plan.grouping === null && !plan.distinct && keepsRows(plan, later)) {
    // Each record stays exactly one row, so the page can be cut before anything is joined.
    stages.push(...rowStages(plan, []), ...joinStages(plan, later, access));
    return finish(base, stages, plan.columns);
  }
  stages.push(...joinStages(plan, later, access));
  let { columns, order } = plan;
  if (plan.grouping) stages.push(...groupStages(plan.grouping));
  if (plan.distinct) {
    const distinct = distinctStages(columns.map((output) => output.column));
    stages.push(...distinct.stages);
    order = order.map((key) => ({ ...key, column: distinct.replace(key.column) }));
    columns = columns.map((output) => ({ ...output, column: distinct.replace(output.column) }));
  }
  const joined = plan.grouping || plan.distinct ? [] : plan.joins.map((join) => join.source.index);
  stages.push(...rowStages({ ...plan, order }, joined));
  return finish(base, stages, columns);
};

const finish = (collection: string, stages: readonly Document[], columns: readonly OutputColumn[]): Pipeline => {
  const slots = slotsOf(columns);
  return { collection, stages: [...stages, projectStage(columns, slots)], slots };
};

/** Sort, skip and limit. The order is always total (`joined`: also by these joins' records), so that pages fit together. */
const rowStages = ({ order, grouping, distinct, limit, offset }: Plan, joined: readonly number[]): Document[] => {
  const stages: Document[] = [];
  const single = grouping !== null && grouping.keys.length === 0;
  if (!single) stages.push({ $sort: sortOf(order, joined, grouping === null && !distinct) });
  if (offset > 0) stages.push({ $skip: offset });
  stages.push({ $limit: limit === null ? queryLimits.rows + 1 : Math.max(limit, 1) });
  return stages;
};

/** The id goes the way of the key before it, so that one index gives both, forwards or backwards. */
const sortOf = (order: readonly OrderKey[], joined: readonly number[], isRecord: boolean): Document => {
  const sort: Record<string, 1 | -1> = {};
  for (const { column, descending } of order) sort[placeOf(column)] ??= descending ? -1 : 1;
  sort._id ??= isRecord && order.at(-1)?.descending ? -1 : 1;
  for (const index of joined) sort[`${joinSlot(index)}._id`] ??= 1;
  return sort;
};

/** Whole stored fields of the first object can be asked for by their names; anything else gets a name of ours. */
const isPlain = (columns: readonly OutputColumn[]): boolean =>
  columns.every(({ column }) => column.source === 0 && !column.output.includes("."));

const slotsOf = (columns: readonly OutputColumn[]): string[] => {
  const plain = isPlain(columns);
  return columns.map(({ column }, index) => (plain ? column.output : `c${index}`));
};

const projectStage = (columns: readonly OutputColumn[], slots: readonly string[]): Document => {
  const plain = isPlain(columns);
  const fields: Record<string, unknown> = { _id: 0 };
  columns.forEach(({ column }, index) => {
    fields[slots[index] as string] = plain ? 1 : `$${outputPlaceOf(column)}`;
  });
  return { $project: fields };
};
