import type { Document } from "mongodb";
import { type Column, placeOf } from "../analyze/column.ts";
import type { ComparisonOperator } from "../parse/syntax.ts";

/**
 * When a condition is *true*. SQL has three truth values, but WHERE, ON and HAVING keep a row only if it is true; with
 * NOT pushed down to the leaves (Kleene's logic allows it), two are enough from here on.
 */
export type Predicate =
  | { readonly kind: "always"; readonly holds: boolean }
  | { readonly kind: "all" | "any"; readonly items: readonly Predicate[] }
  /** MongoDB query operators on one column; every value in them is a literal. */
  | { readonly kind: "test"; readonly column: Column; readonly test: Document }
  | {
      readonly kind: "fields";
      readonly operator: ComparisonOperator;
      readonly left: Column;
      readonly right: Column;
    };

export const always: Predicate = { kind: "always", holds: true };
export const never: Predicate = { kind: "always", holds: false };

const combine = (kind: "all" | "any", neutral: boolean, items: readonly Predicate[]): Predicate => {
  const flat: Predicate[] = [];
  for (const item of items) {
    if (item.kind === "always") {
      if (item.holds !== neutral) return item;
    } else if (item.kind === kind) flat.push(...item.items);
    else flat.push(item);
  }
  if (flat.length === 0) return neutral ? always : never;
  return flat.length === 1 ? (flat[0] as Predicate) : { kind, items: flat };
};

export const all = (items: readonly Predicate[]): Predicate => combine("all", true, items);
export const any = (items: readonly Predicate[]): Predicate => combine("any", false, items);
export const test = (column: Column, operators: Document): Predicate => ({ kind: "test", column, test: operators });

/** The parts that must all be true. */
export const conjuncts = (predicate: Predicate): readonly Predicate[] => {
  if (predicate.kind === "all") return predicate.items;
  return predicate.kind === "always" && predicate.holds ? [] : [predicate];
};

/** The columns that it reads, each as often as it does. */
export const columnsOf = (predicate: Predicate): readonly Column[] => {
  if (predicate.kind === "test") return [predicate.column];
  if (predicate.kind === "fields") return [predicate.left, predicate.right];
  return predicate.kind === "always" ? [] : predicate.items.flatMap(columnsOf);
};

/** The joined objects whose fields it reads. */
export const sourcesOf = (predicate: Predicate): Set<number> =>
  new Set(columnsOf(predicate).map(({ source }) => source));

const expressionOperators: Record<ComparisonOperator, string> = {
  "=": "$eq",
  "!=": "$ne",
  "<": "$lt",
  "<=": "$lte",
  ">": "$gt",
  ">=": "$gte",
};

/** MongoDB's filter. `place` says where a column is found; matches stay plain, so that indexes serve them. */
export const toFilter = (predicate: Predicate, place: (column: Column) => string = placeOf): Document => {
  switch (predicate.kind) {
    case "always":
      return predicate.holds ? {} : { _id: { $in: [] } };
    case "all":
      return allOf(predicate.items.map((item) => toFilter(item, place)));
    case "any":
      return { $or: predicate.items.map((item) => toFilter(item, place)) };
    case "test": {
      const { $eq: equal, ...others } = predicate.test;
      const alone = equal !== undefined && Object.keys(others).length === 0;
      return { [place(predicate.column)]: alone ? equal : predicate.test };
    }
    case "fields": {
      const [left, right] = [place(predicate.left), place(predicate.right)];
      const comparison = { [expressionOperators[predicate.operator]]: [`$${left}`, `$${right}`] };
      const present = left === right ? {} : { [right]: { $ne: null } };
      return { [left]: { $ne: null }, ...present, $expr: comparison };
    }
  }
};

const isOperators = (value: unknown): value is Document =>
  typeof value === "object" &&
  value !== null &&
  !(value instanceof Date) &&
  Object.keys(value)[0]?.startsWith("$") === true;

/** All filters as one: side by side in one document where that says the same, else under `$and`. */
const allOf = (filters: readonly Document[]): Document => {
  const merged: Document = {};
  const others: Document[] = [];
  for (const filter of filters) {
    const entries = Object.entries(filter);
    const fits = entries.every(([key, value]) => {
      const present: unknown = merged[key];
      if (present === undefined) return true;
      return !key.startsWith("$") && isOperators(present) && isOperators(value) && disjoint(present, value);
    });
    if (!fits) others.push(filter);
    else
      for (const [key, value] of entries) merged[key] = isOperators(merged[key]) ? { ...merged[key], ...value } : value;
  }
  if (others.length === 0) return merged;
  return { $and: [merged, ...others].filter((filter) => Object.keys(filter).length > 0) };
};

const disjoint = (a: Document, b: Document): boolean => !Object.keys(a).some((key) => key in b);
