import type { Document } from "mongodb";
import { type Column, pathOf } from "../analyze/column.ts";
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

/** MongoDB's filter. `path` gives the path of a column. Matches stay plain, so that they can use indexes. */
export const toFilter = (predicate: Predicate, path: (column: Column) => string = pathOf): Document => {
  switch (predicate.kind) {
    case "always":
      return predicate.holds ? {} : { _id: { $in: [] } };
    case "all":
      return allOf(predicate.items.map((item) => toFilter(item, path)));
    case "any":
      return { $or: predicate.items.map((item) => toFilter(item, path)) };
    case "test": {
      const { $eq: equal, ...others } = predicate.test;
      const alone = equal !== undefined && Object.keys(others).length === 0;
      return { [path(predicate.column)]: alone ? equal : predicate.test };
    }
    case "fields": {
      const [left, right] = [path(predicate.left), path(predicate.right)];
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

/** Combines filters: in one document if their keys differ, else under `$and`. */
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

/** One `$match` for all non-empty filters, under `$and`, so that none can overwrite another. */
export const matchStage = (filters: readonly (Document | null)[]): Document[] => {
  const given = filters.filter((filter): filter is Document => filter !== null && Object.keys(filter).length > 0);
  if (given.length === 0) return [];
  return [{ $match: given.length === 1 ? given[0] : { $and: given } }];
};
