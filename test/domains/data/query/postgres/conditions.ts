import * as fc from "fast-check";
import type { Condition, Operand } from "#shared/data/query/parse/syntax";
import { conditionOf } from "../arbitrary-query.ts";
import { at, literalFor, patternLiteral, type Typed } from "./operands.ts";

const negated = fc.boolean();
const equality = fc.constantFrom("=" as const, "!=" as const);
const operator = fc.constantFrom("=" as const, "!=" as const, "<" as const, "<=" as const, ">" as const, ">=" as const);

const isNull = (columns: readonly Typed[]): fc.Arbitrary<Condition> =>
  fc.tuple(fc.constantFrom(...columns), negated).map(([{ expression: left }, not]) => ({
    kind: "is-null",
    negated: not,
    left,
    at,
  }));

/** Another expression of the same kind, or a value. */
const against = (column: Typed, columns: readonly Typed[]): fc.Arbitrary<Operand> => {
  const alike = columns.filter((other) => other.comparing === column.comparing && !other.several);
  const value = literalFor(column);
  if (column.several || alike.length === 0) return value;
  return fc.oneof(
    { weight: 3, arbitrary: value },
    { weight: 1, arbitrary: fc.constantFrom(...alike).map(({ expression }) => expression) },
  );
};

const comparison = (column: Typed, columns: readonly Typed[]): fc.Arbitrary<Condition> =>
  fc
    .tuple(column.several ? equality : operator, against(column, columns), fc.boolean())
    .map(([used, other, swapped]) => {
      const [left, right] = swapped ? [other, column.expression] : [column.expression, other];
      return { kind: "comparison", operator: used, left, right, at };
    });

const membership = (column: Typed): fc.Arbitrary<Condition> =>
  fc
    .tuple(negated, fc.array(literalFor(column), { minLength: 1, maxLength: 4 }))
    .map(([not, values]) => ({ kind: "in", negated: not, left: column.expression, values, at }));

const between = (column: Typed, columns: readonly Typed[]): fc.Arbitrary<Condition> =>
  fc
    .tuple(negated, against(column, columns), against(column, columns))
    .map(([not, low, high]) => ({ kind: "between", negated: not, left: column.expression, low, high, at }));

const like = ({ expression: left }: Typed): fc.Arbitrary<Condition> =>
  fc.tuple(negated, patternLiteral).map(([not, pattern]) => ({ kind: "like", negated: not, left, pattern, at }));

const literals: fc.Arbitrary<Condition> = fc.tuple(operator, fc.nat(2), fc.nat(2)).map(([used, left, right]) => ({
  kind: "comparison",
  operator: used,
  left: { kind: "number", value: left, at },
  right: { kind: "number", value: right, at },
  at,
}));

/** A single test that compiles. */
const leafOf = (columns: readonly Typed[]): fc.Arbitrary<Condition> => {
  const comparable = columns.filter(({ comparing }) => comparing !== "json");
  if (comparable.length === 0) return columns.length === 0 ? literals : fc.oneof(literals, isNull(columns));
  const tested = fc.constantFrom(...comparable).chain((column) => {
    const kinds: fc.Arbitrary<Condition>[] = [comparison(column, comparable), membership(column)];
    if (!column.several) kinds.push(between(column, comparable));
    if (column.comparing === "text" && !column.whole) kinds.push(like(column), like(column));
    return fc.oneof(...kinds);
  });
  return fc.oneof(
    { weight: 20, arbitrary: tested },
    { weight: 4, arbitrary: isNull(columns) },
    { weight: 1, arbitrary: literals },
  );
};

/** Any condition over the columns. */
export const conditionOn = (columns: readonly Typed[]): fc.Arbitrary<Condition> => conditionOf(leafOf(columns), 3);
