import type { Document } from "mongodb";
import { type Column, placeOf } from "../analyze/column.ts";
import type { Predicate } from "../analyze/predicate.ts";
import type { ComparisonOperator } from "../parse/syntax.ts";

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

/** `$match` of all filters that say anything; side by side under `$and`, so that none can displace another. */
export const matchStage = (filters: readonly (Document | null)[]): Document[] => {
  const given = filters.filter((filter): filter is Document => filter !== null && Object.keys(filter).length > 0);
  if (given.length === 0) return [];
  return [{ $match: given.length === 1 ? given[0] : { $and: given } }];
};
