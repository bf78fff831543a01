import type { Document } from "mongodb";
import { expressionWithoutNames, projectionWithoutNames } from "#shared/data/access/access";
import type { QueryAccess } from "../analyze/catalog.ts";
import { type Column, joinSlot, outputPlaceOf, placeOf } from "../analyze/column.ts";
import { baseOf, type OutputColumn, type Plan } from "../analyze/plan.ts";
import type { Source } from "../analyze/resolver.ts";
import { queryLimits } from "../limits.ts";
import { distinctStages, groupStages } from "./group-stages.ts";
import { isSingle, joinStages, recordsOf } from "./join-stages.ts";
import { betterStart, startStages } from "./join-start.ts";
import { type Predicate, sourcesOf } from "./predicate.ts";

export interface Pipeline {
  readonly collection: string;
  /** Which of the plan's sources that is. */
  readonly start: number;
  readonly stages: Document[];
  /** Where each output column is found in the documents that come out. */
  readonly slots: readonly string[];
}

/** Plan → one aggregation pipeline. The caller's filter is the first thing that happens to every collection. */
export const buildPipeline = (plan: Plan, access: QueryAccess): Pipeline => {
  const alone = plan.joins.length === 0;
  const isOwn = (predicate: Predicate): boolean => alone || [...sourcesOf(predicate)].every((source) => source === 0);
  const later = plan.where.filter((predicate) => !isOwn(predicate));
  const start = betterStart(plan);
  if (start !== null) {
    const rest = plan.joins.filter((join) => join !== start);
    const stages = startStages(plan, start, access);
    const open = later.filter((part) => [...sourcesOf(part)].some((source) => source !== start.source.index));
    stages.push(...joinStages(rest, open, access, new Set([0, start.source.index])));
    return finish(start.source, resultStages(plan, stages));
  }
  const base = baseOf(plan);
  const stages = recordsOf(base, plan.where.filter(isOwn), access);
  const joins = joinStages(plan.joins, later, access);
  const isRows = plan.grouping === null && !plan.distinct;
  if (!isRows || !plan.order.every(({ column }) => column.source === 0)) {
    return finish(base, resultStages(plan, [...stages, ...joins]));
  }
  const keepsAll = later.length === 0 && plan.joins.every((join) => join.outer);
  if (plan.joins.every(isSingle)) {
    // The records' order is the rows' order. If each stays one row, the page is cut before anything is joined; else the
    // joining stops at the page's end.
    stages.push(sortStage(plan, []));
    stages.push(...(keepsAll ? [...cutStages(plan), ...joins] : [...joins, ...cutStages(plan)]));
    return finish(base, { stages, columns: plan.columns });
  }
  // Each record gives one row or more, so as many records as rows are enough.
  if (keepsAll && plan.limit !== null) {
    stages.push(sortStage(plan, []), { $limit: Math.max(plan.offset + plan.limit, 1) });
  }
  return finish(base, resultStages(plan, [...stages, ...joins]));
};

interface Results {
  readonly stages: readonly Document[];
  readonly columns: readonly OutputColumn[];
}

/** Groups, makes distinct, sorts and cuts the joined rows. */
const resultStages = (plan: Plan, rows: readonly Document[]): Results => {
  const stages = [...rows];
  let { columns, order } = plan;
  if (plan.grouping) stages.push(...groupStages(plan.grouping));
  if (plan.distinct) {
    const distinct = distinctStages(columns.map((output) => output.column));
    stages.push(...distinct.stages);
    order = order.map((key) => ({ ...key, column: distinct.replace(key.column) }));
    columns = columns.map((output) => ({ ...output, column: distinct.replace(output.column) }));
  }
  const joined = plan.grouping || plan.distinct ? [] : plan.joins.map((join) => join.source.index);
  const isOne = plan.grouping !== null && plan.grouping.keys.length === 0;
  if (!isOne) stages.push(sortStage({ ...plan, order }, joined));
  stages.push(...cutStages(plan));
  return { stages, columns };
};

const finish = ({ object, index }: Source, { stages, columns }: Results): Pipeline => {
  const slots = slotsOf(columns);
  return { collection: object.api_name, start: index, stages: [...stages, projectStage(columns, slots)], slots };
};

/**
 * The order is always total (`joined`: also by these joins' records), so that pages fit together. The id of a record goes
 * the way of the key before it, so that one index gives both, forwards or backwards.
 */
const sortStage = ({ order, grouping, distinct }: Plan, joined: readonly number[]): Document => {
  const sort: Record<string, 1 | -1> = {};
  for (const { column, descending } of order) sort[placeOf(column)] ??= descending ? -1 : 1;
  const isRecord = grouping === null && !distinct;
  sort._id ??= isRecord && order.at(-1)?.descending ? -1 : 1;
  for (const index of joined) sort[`${joinSlot(index)}._id`] ??= 1;
  return { $sort: sort };
};

const cutStages = ({ limit, offset }: Plan): Document[] => [
  ...(offset > 0 ? [{ $skip: offset }] : []),
  { $limit: limit === null ? queryLimits.rows + 1 : Math.max(limit, 1) },
];

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
    fields[slots[index] as string] = plain ? plainValue(column) : placedValue(column);
  });
  return { $project: fields };
};

const plainValue = ({ mask, output }: Column): unknown => (mask === null ? 1 : projectionWithoutNames(output, mask));

/** A part of a lookup has lost the name where it had to; a whole one loses it here. */
const placedValue = (column: Column): unknown => {
  const place = `$${outputPlaceOf(column)}`;
  return column.mask === null || column.reference === null ? place : expressionWithoutNames(place, column.mask);
};
