import type { Document } from "mongodb";
import type { ComparisonOperator } from "../parse/syntax.ts";
import type { Coerced } from "./coerce-literal.ts";
import type { Column } from "./column.ts";
import { all, any, never, type Predicate, test } from "./predicate.ts";

/** A list without a first element is NULL: missing, null or empty. */
const firstElement = (column: Column): Column => ({ ...column, path: `${column.path.split(".")[0]}.0` });

/** `IS NULL`, `IS NOT NULL`. */
export const nullTest = (column: Column, isNull: boolean): Predicate => {
  if (column.list) return test(firstElement(column), { $exists: !isNull });
  if (column.kind === "json") {
    // In MongoDB an array that contains null equals null.
    const array: Document = { $type: "array" };
    return isNull ? test(column, { $eq: null, $not: array }) : any([test(column, { $ne: null }), test(column, array)]);
  }
  return test(column, isNull ? { $eq: null } : { $ne: null });
};

/** The values that a literal is equal to. */
const equalsOf = (coerced: Extract<Coerced, { kind: "value" }>): unknown[] =>
  coerced.also === undefined ? [coerced.value] : [coerced.value, coerced.also];

const notIn = (column: Column, values: readonly unknown[]): Predicate => {
  if (!column.list) return test(column, { $nin: [...values, null] });
  return all([test(column, values.length === 1 ? { $ne: values[0] } : { $nin: values }), nullTest(column, false)]);
};

/** The predicate that the comparison is true. With a NULL on either side it is unknown, so never true. */
export const comparisonTest = (column: Column, operator: ComparisonOperator, coerced: Coerced): Predicate => {
  if (coerced.kind === "null") return never;
  if (coerced.kind === "value" && (operator === "=" || operator === "!=")) {
    const equals = equalsOf(coerced);
    if (operator === "!=") return notIn(column, equals);
    return test(column, equals.length === 1 ? { $eq: coerced.value } : { $in: equals });
  }
  const [from, to] = coerced.kind === "range" ? [coerced.from, coerced.to] : [coerced.value, undefined];
  switch (operator) {
    case "=":
      return test(column, { $gte: from, $lt: to });
    case "!=":
      return any([test(column, { $lt: from }), test(column, { $gte: to })]);
    case "<":
      return test(column, { $lt: from });
    case ">=":
      return test(column, { $gte: from });
    case "<=":
      return test(column, to === undefined ? { $lte: from } : { $lt: to });
    case ">":
      return test(column, to === undefined ? { $gt: from } : { $gte: to });
  }
};

/** IN is OR over `=`, NOT IN is AND over `!=`. With a NULL in the list NOT IN is never true. */
export const membershipTest = (column: Column, negated: boolean, list: readonly Coerced[]): Predicate => {
  const values = list.flatMap((coerced) => (coerced.kind === "value" ? equalsOf(coerced) : []));
  const others = list.filter((coerced) => coerced.kind !== "value");
  const single = !negated && values.length === 1;
  const listed = negated ? notIn(column, values) : test(column, single ? { $eq: values[0] } : { $in: values });
  const tests = others.map((coerced) => comparisonTest(column, negated ? "!=" : "=", coerced));
  const parts = values.length > 0 ? [listed, ...tests] : tests;
  return negated ? all(parts) : any(parts);
};

export const patternTest = (
  column: Column,
  negated: boolean,
  pattern: { readonly regex: string } | "all",
): Predicate => {
  if (pattern === "all") return negated ? never : nullTest(column, false);
  const match: Document = { $regex: pattern.regex, $options: "is" };
  if (!negated) return test(column, match);
  return column.list
    ? all([test(column, { $not: match }), nullTest(column, false)])
    : test(column, { $not: match, $ne: null });
};
