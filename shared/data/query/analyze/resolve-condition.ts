import type { ComparisonOperator, Condition, Expression, Literal, Operand, Span } from "../parse/syntax.ts";
import { type Coerced, coerceLiteral } from "./coerce-literal.ts";
import type { Column } from "./column.ts";
import { comparisonTest, membershipTest, nullTest } from "./column-test.ts";
import type { ColumnUse } from "./hidden-values.ts";
import { all, always, any, never, type Predicate } from "./predicate.ts";
import { resolveLike } from "./resolve-like.ts";
import type { Resolver } from "./resolver.ts";

/** Resolves what the clause allows: a stored field, or after grouping a key or an aggregate. */
export type ResolveExpression = (expression: Expression, use?: ColumnUse) => Column | null;

const opposite: Record<ComparisonOperator, ComparisonOperator> = {
  "=": "!=",
  "!=": "=",
  "<": ">=",
  ">=": "<",
  ">": "<=",
  "<=": ">",
};

const mirrored: Record<ComparisonOperator, ComparisonOperator> = {
  "=": "=",
  "!=": "!=",
  "<": ">",
  ">": "<",
  "<=": ">=",
  ">=": "<=",
};

/** A condition, or its NOT if `negated`, as a predicate. Invalid parts are issues, and count as true meanwhile. */
export const resolveCondition = (
  resolver: Resolver,
  condition: Condition,
  expression: ResolveExpression,
  negated = false,
): Predicate => {
  const again = (item: Condition, negate = negated) => resolveCondition(resolver, item, expression, negate);
  switch (condition.kind) {
    case "and":
    case "or": {
      const items = condition.items.map((item) => again(item));
      return (condition.kind === "and") === negated ? any(items) : all(items);
    }
    case "not":
      return again(condition.item, !negated);
    case "comparison": {
      const operator = negated ? opposite[condition.operator] : condition.operator;
      return resolveComparison(resolver, { ...condition, operator }, expression);
    }
    case "between": {
      const outside = condition.negated !== negated;
      const compare = (operator: ComparisonOperator, right: Operand) =>
        resolveComparison(resolver, { operator, left: condition.left, right, at: condition.at }, expression);
      const tests = [compare(outside ? "<" : ">=", condition.low), compare(outside ? ">" : "<=", condition.high)];
      return outside ? any(tests) : all(tests);
    }
    case "in": {
      const column = expression(condition.left, "equality");
      if (!column || !comparable(resolver, column, condition.at)) return always;
      const values = condition.values.map((literal) => coerceLiteral(resolver, column, literal));
      return membershipTest(
        column,
        condition.negated !== negated,
        values.filter((coerced): coerced is Coerced => coerced !== null),
      );
    }
    case "like":
      return resolveLike(resolver, condition, condition.negated !== negated, expression(condition.left));
    case "is-null": {
      const column = expression(condition.left, "presence");
      return column ? nullTest(column, condition.negated === negated) : always;
    }
  }
};

const isExpression = (operand: Operand): operand is Expression =>
  operand.kind === "path" || operand.kind === "aggregate";

type Comparison = Pick<Extract<Condition, { kind: "comparison" }>, "operator" | "left" | "right" | "at">;

const resolveComparison = (
  resolver: Resolver,
  { operator, left, right, at }: Comparison,
  expression: ResolveExpression,
): Predicate => {
  if (!isExpression(left)) {
    if (isExpression(right)) {
      return resolveComparison(resolver, { operator: mirrored[operator], left: right, right: left, at }, expression);
    }
    return compareLiterals(resolver, operator, left, right, at);
  }
  const isEquality = !isExpression(right) && (operator === "=" || operator === "!=");
  const column = expression(left, isEquality ? "equality" : "compute");
  if (isExpression(right)) {
    const other = expression(right);
    return column && other ? compareColumns(resolver, operator, column, other, at) : always;
  }
  if (!column || !comparable(resolver, column, at)) return always;
  if (column.list && operator !== "=" && operator !== "!=") return unordered(resolver, column, at);
  const coerced = coerceLiteral(resolver, column, right);
  return coerced ? comparisonTest(column, operator, coerced) : always;
};

const unordered = (resolver: Resolver, column: Column, at: Span): Predicate => {
  const sentence = `${column.field.api_name} has several values, which have no order; use =, != or IN.`;
  resolver.fail(at, "query_type", sentence, { expected: ["=", "!=", "IN", "NOT IN", "LIKE", "IS NULL"] });
  return always;
};

const comparable = (resolver: Resolver, column: Column, at: Span): boolean => {
  if (column.kind !== "json") return true;
  const sentence = `${column.field.api_name} is JSON, which can only be tested by IS NULL and IS NOT NULL.`;
  resolver.fail(at, "query_type", sentence, { expected: ["IS NULL", "IS NOT NULL"] });
  return false;
};

const compareColumns = (
  resolver: Resolver,
  operator: ComparisonOperator,
  left: Column,
  right: Column,
  at: Span,
): Predicate => {
  if (!comparable(resolver, left, at) || !comparable(resolver, right, at)) return always;
  const name = left.list ? left.field.api_name : right.field.api_name;
  if (left.list || right.list) {
    resolver.fail(at, "query_type", `${name} has several values and can only be compared with a value.`);
  } else if (left.kind !== right.kind) {
    const sentence = `${left.field.api_name} (${left.kind}) and ${right.field.api_name} (${right.kind}) cannot be compared.`;
    resolver.fail(at, "query_type", sentence);
  } else return { kind: "fields", operator, left, right };
  return always;
};

/** `1 = 1`, as query builders write it. */
const compareLiterals = (
  resolver: Resolver,
  operator: ComparisonOperator,
  left: Literal,
  right: Literal,
  at: Span,
): Predicate => {
  if (left.kind === "null" || right.kind === "null") return never;
  const plain = "value" in left && "value" in right && left.kind === right.kind;
  if (!plain) {
    resolver.fail(at, "query_type", "These two values cannot be compared with each other.", { expected: ["a field"] });
    return always;
  }
  const order = left.value === right.value ? 0 : left.value < right.value ? -1 : 1;
  const holds = {
    "=": order === 0,
    "!=": order !== 0,
    "<": order < 0,
    "<=": order <= 0,
    ">": order > 0,
    ">=": order >= 0,
  };
  return holds[operator] ? always : never;
};
