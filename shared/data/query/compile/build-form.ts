import type { Document } from "mongodb";
import { expressionWithoutNames, projectionWithoutNames } from "#shared/data/access/access";
import type { QueryAccess } from "../analyze/catalog.ts";
import { type Column, joinSlot, outputPlaceOf, placeOf } from "../analyze/column.ts";
import { baseOf, type OutputColumn, type Plan } from "../analyze/plan.ts";
import { type Predicate, readsOnly } from "../analyze/predicate.ts";
import type { Source } from "../analyze/resolver.ts";
import type { QueryForm, SortKey } from "./form.ts";
import { distinctStages, groupStages } from "./group-stages.ts";
import { isSingle, joinStages, recordsOf } from "./join-stages.ts";
import { betterStart, startStages } from "./join-start.ts";

export interface BuiltForm {
  readonly form: QueryForm;
  /** Where the value of each output column is in the documents of the result. */
  readonly slots: readonly string[];
}

/** Plan → intermediate form. The caller's filter is the first thing that is applied to every collection. */
export const buildForm = (plan: Plan, access: QueryAccess): BuiltForm => {
  const { joins, where, limit } = plan;
  const alone = joins.length === 0;
  const isOwn = (predicate: Predicate): boolean => alone || readsOnly(predicate, (source) => source === 0);
  const later = where.filter((predicate) => !isOwn(predicate));
  const start = betterStart(plan);
  if (start !== null) {
    const { source } = start;
    const rest = joins.filter((join) => join !== start);
    const open = later.filter((part) => !readsOnly(part, (index) => index === source.index));
    const { records, rows } = startStages(plan, start, access);
    return finish(plan, source, records, [...rows, ...joinStages(rest, open, access, new Set([0, source.index]))]);
  }
  const base = baseOf(plan);
  const built = finish(plan, base, recordsOf(base, where.filter(isOwn), access), joinStages(joins, later, access));
  const isRows = plan.grouping === null && !plan.distinct;
  if (!isRows || !plan.order.every(({ column }) => column.source === 0)) return built;
  const { form, slots } = built;
  const order = orderOf(plan, []);
  const keepsAll = later.length === 0 && joins.every((join) => join.outer);
  // The records' order is the rows' order. If each record stays one row, the page is cut before anything is joined;
  // else the joining stops at the page's end.
  if (joins.every(isSingle)) return { form: { ...form, order, sortsRecords: true, cutsRecords: keepsAll }, slots };
  return keepsAll && limit !== null ? { form: { ...form, enoughRecords: { order, extra: 0 } }, slots } : built;
};

/** Groups the joined rows or makes them distinct. Sorts and cuts what comes out. */
const finish = (plan: Plan, source: Source, records: readonly Document[], joined: readonly Document[]): BuiltForm => {
  const { grouping, distinct, offset, limit } = plan;
  const rows = [...joined];
  let { columns, order } = plan;
  if (grouping !== null) rows.push(...groupStages(grouping));
  if (distinct) {
    const { stages, replace } = distinctStages(columns.map((output) => output.column));
    rows.push(...stages);
    order = order.map((key) => ({ ...key, column: replace(key.column) }));
    columns = columns.map((output) => ({ ...output, column: replace(output.column) }));
  }
  const isOne = grouping !== null && grouping.keys.length === 0;
  const others = grouping !== null || distinct ? [] : plan.joins.map((join) => join.source.index);
  const slots = slotsOf(columns);
  const form: QueryForm = {
    source,
    records,
    rows,
    order: isOne ? [] : orderOf({ ...plan, order }, others),
    sortsRecords: false,
    cutsRecords: false,
    enoughRecords: null,
    offset,
    limit,
    projection: projectionOf(columns, slots),
  };
  return { form, slots };
};

/**
 * The order is always total, so that pages fit together; `joined`: also by the records of these joins. The id of a record
 * has the direction of the key before it, so that one index gives both, forwards or backwards.
 */
const orderOf = ({ order, grouping, distinct }: Plan, joined: readonly number[]): SortKey[] => {
  const keys = new Map<string, boolean>();
  const add = (place: string, descending: boolean) => {
    if (!keys.has(place)) keys.set(place, descending);
  };
  for (const { column, descending } of order) add(placeOf(column), descending);
  const isRecord = grouping === null && !distinct;
  add("_id", isRecord && order.at(-1)?.descending === true);
  for (const index of joined) add(`${joinSlot(index)}._id`, false);
  return [...keys].map(([place, descending]) => ({ place, descending }));
};

/** Whole stored fields of the first object can be asked for by their names; anything else gets a name of ours. */
const isPlain = (columns: readonly OutputColumn[]): boolean =>
  columns.every(({ column }) => column.source === 0 && !column.output.includes("."));

const slotsOf = (columns: readonly OutputColumn[]): string[] => {
  const plain = isPlain(columns);
  return columns.map(({ column }, index) => (plain ? column.output : `c${index}`));
};

const projectionOf = (columns: readonly OutputColumn[], slots: readonly string[]): Document => {
  const plain = isPlain(columns);
  const fields: Record<string, unknown> = { _id: 0 };
  columns.forEach(({ column }, index) => {
    fields[slots[index] as string] = plain ? plainValue(column) : placedValue(column);
  });
  return fields;
};

const plainValue = ({ mask, output }: Column): unknown => (mask === null ? 1 : projectionWithoutNames(output, mask));

/** A part of a lookup has lost the name where it had to; a whole one loses it here. */
const placedValue = (column: Column): unknown => {
  const place = `$${outputPlaceOf(column)}`;
  return column.mask === null || column.reference === null ? place : expressionWithoutNames(place, column.mask);
};
