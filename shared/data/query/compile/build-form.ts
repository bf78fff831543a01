import type { Document } from "mongodb";
import { expressionWithoutNames, masksShares, projectionWithoutNames } from "#shared/data/access/access";
import type { QueryAccess } from "../analyze/catalog.ts";
import { type Column, joinKey, outputPathOf, pathOf } from "../analyze/column.ts";
import type { Hidden } from "../analyze/hidden-values.ts";
import { baseOf, type OutputColumn, type Plan } from "../analyze/plan.ts";
import { type Predicate, readsOnly } from "../analyze/predicate.ts";
import type { Source } from "../analyze/resolver.ts";
import type { QueryForm, SortKey } from "./form.ts";
import { distinctStages, groupStages } from "./group-stages.ts";
import { isSingle, joinStages, recordsOf } from "./join-stages.ts";
import { betterStart, startStages } from "./join-start.ts";

export interface BuiltForm {
  readonly form: QueryForm;
  /** The path of each output column in the result documents. */
  readonly resultKeys: readonly string[];
}

/** Plan → intermediate form. The caller's filter is applied first to every collection. */
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
  const { form, resultKeys } = built;
  const order = orderOf(plan, []);
  const keepsAll = later.length === 0 && joins.every((join) => join.outer);
  // The rows have the records' order. If each record gives one row, the page is cut before the joins; else the joins
  // stop at the end of the page.
  if (joins.every(isSingle)) return { form: { ...form, order, sortsRecords: true, cutsRecords: keepsAll }, resultKeys };
  return keepsAll && limit !== null ? { form: { ...form, enoughRecords: { order, extra: 0 } }, resultKeys } : built;
};

/** Groups the joined rows or makes them distinct, then sorts and pages. */
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
  const resultKeys = resultKeysOf(columns);
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
    projection: projectionOf(columns, resultKeys),
  };
  return { form, resultKeys };
};

/**
 * The order is total, so that pages do not overlap. `joined`: the records of these joins are keys too. The id has the
 * direction of the last key, so that one index serves both.
 */
const orderOf = ({ order, grouping, distinct }: Plan, joined: readonly number[]): SortKey[] => {
  const keys = new Map<string, boolean>();
  const add = (path: string, descending: boolean) => {
    if (!keys.has(path)) keys.set(path, descending);
  };
  for (const { column, descending } of order) add(pathOf(column), descending);
  const isRecord = grouping === null && !distinct;
  add("_id", isRecord && order.at(-1)?.descending === true);
  for (const index of joined) add(`${joinKey(index)}._id`, false);
  return [...keys].map(([path, descending]) => ({ path, descending }));
};

/** Stored fields of the first object keep their names; other outputs get generated names. */
const isPlain = (columns: readonly OutputColumn[]): boolean =>
  columns.every(({ column }) => column.source === 0 && !column.output.includes("."));

const resultKeysOf = (columns: readonly OutputColumn[]): string[] => {
  const plain = isPlain(columns);
  return columns.map(({ column }, index) => (plain ? column.output : `c${index}`));
};

const projectionOf = (columns: readonly OutputColumn[], resultKeys: readonly string[]): Document => {
  const plain = isPlain(columns);
  const fields: Record<string, unknown> = { _id: 0 };
  columns.forEach(({ column }, index) => {
    fields[resultKeys[index] as string] = plain ? plainValue(column) : outputValue(column);
  });
  return fields;
};

/** What is shown in place of hidden values. A row of a LEFT JOIN without a match has no record and so no mask. */
const hiddenValue = (column: Column, { kind, shown }: Hidden): Document => {
  const { source } = column;
  const mask = { $literal: shown };
  if (kind === "encrypted") return { $cond: [{ $gt: [`$${outputPathOf(column)}`, null] }, mask, null] };
  return source > 0 && shown !== null ? { $cond: [{ $gt: [`$${joinKey(source)}._id`, null] }, mask, null] } : mask;
};

const plainValue = (column: Column): unknown => {
  const { mask, hidden, output } = column;
  if (hidden !== null) return hiddenValue(column, hidden);
  return mask === null ? 1 : projectionWithoutNames(output, mask);
};

/** Names in parts of lookups were removed before. In whole lookups they are removed here. */
const outputValue = (column: Column): unknown => {
  if (column.hidden !== null) return hiddenValue(column, column.hidden);
  const { mask, reference } = column;
  const path = `$${outputPathOf(column)}`;
  return mask === null || (reference === null && !masksShares(mask)) ? path : expressionWithoutNames(path, mask);
};
