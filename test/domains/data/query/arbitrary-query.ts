import * as fc from "fast-check";
import { countedRelativeDate, plainRelativeDate } from "#shared/data/query/analyze/relative-dates";
import type {
  Aggregate,
  Condition,
  Expression,
  Literal,
  Name,
  Operand,
  Path,
  Query,
  RelativeDate,
  SourceName,
  Span,
} from "#shared/data/query/parse/syntax";

/** The positions of these trees are not used. */
const at: Span = { offset: 0, length: 0, line: 1, column: 1 };

const name: fc.Arbitrary<Name> = fc
  .oneof(
    fc.constantFrom("name", "select", "Order", "from", "me", "today", "$where", "__proto__"),
    fc.string({ minLength: 1, unit: "grapheme" }),
  )
  .map((text) => ({ text, at }));

const path: fc.Arbitrary<Path> = fc
  .array(name, { minLength: 1, maxLength: 3 })
  .map((names) => ({ kind: "path", names, at }));

const text: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: "grapheme" }),
  fc.constantFrom("'", "''", "\\", "%", "$$ROOT", "a\nb", "--", "/*"),
);

const relative: fc.Arbitrary<Literal> = fc
  .oneof(
    fc
      .constantFrom("now", "today", "LAST_WEEK", "this_quarter")
      .map((word) => ({ word, date: plainRelativeDate(word) })),
    fc
      .tuple(fc.constantFrom("last_n_days", "next_n_months", "N_YEARS_AGO"), fc.integer({ min: 1, max: 5_000 }))
      .map(([word, count]) => ({ word: `${word}:${count}`, date: countedRelativeDate(word)?.(count) })),
  )
  .map(({ word, date }) => ({ kind: "relative", word, date: date as RelativeDate, at }));

const literal: fc.Arbitrary<Literal> = fc.oneof(
  text.map((value): Literal => ({ kind: "string", value, at })),
  fc
    .oneof(fc.integer(), fc.double({ noDefaultInfinity: true, noNaN: true }))
    .map((value): Literal => ({ kind: "number", value, at })),
  fc.boolean().map((value): Literal => ({ kind: "boolean", value, at })),
  fc.constantFrom<Literal>({ kind: "null", at }, { kind: "me", at }),
  relative,
);

/** Its text is canonical, as the printer writes it. */
const aggregate: fc.Arbitrary<Aggregate> = fc
  .tuple(fc.constantFrom("COUNT", "SUM", "AVG", "MIN", "MAX"), fc.boolean(), fc.option(path))
  .filter(([called, distinct, argument]) => argument !== null || (called === "COUNT" && !distinct))
  .map(([called, distinct, argument]) => {
    const names = argument?.names.map((part) => `\`${part.text.replaceAll("`", "``")}\``).join(".");
    return {
      kind: "aggregate",
      name: called,
      distinct,
      argument,
      text: `${called}(${distinct ? "DISTINCT " : ""}${names ?? "*"})`,
      at,
    } as const;
  });

const expression: fc.Arbitrary<Expression> = fc.oneof(
  { weight: 3, arbitrary: path },
  { weight: 1, arbitrary: aggregate },
);
const operand: fc.Arbitrary<Operand> = fc.oneof(expression, literal);

const leaf: fc.Arbitrary<Condition> = fc.oneof(
  fc.record({
    kind: fc.constant("comparison" as const),
    operator: fc.constantFrom("=", "!=", "<", "<=", ">", ">="),
    left: operand,
    right: operand,
    at: fc.constant(at),
  }),
  fc.record({
    kind: fc.constant("between" as const),
    negated: fc.boolean(),
    left: expression,
    low: operand,
    high: operand,
    at: fc.constant(at),
  }),
  fc.record({
    kind: fc.constant("in" as const),
    negated: fc.boolean(),
    left: expression,
    values: fc.array(literal, { minLength: 1, maxLength: 4 }),
    at: fc.constant(at),
  }),
  fc.record({
    kind: fc.constant("like" as const),
    negated: fc.boolean(),
    left: expression,
    pattern: literal,
    at: fc.constant(at),
  }),
  fc.record({ kind: fc.constant("is-null" as const), negated: fc.boolean(), left: expression, at: fc.constant(at) }),
);

/** AND, OR and NOT over the given leaves, `depth` levels deep at most. */
export const conditionOf = (leaves: fc.Arbitrary<Condition>, depth = 4): fc.Arbitrary<Condition> =>
  fc.letrec<{ condition: Condition }>((tie) => ({
    condition: fc.oneof(
      { maxDepth: depth, depthSize: "small" },
      leaves,
      fc.record({
        kind: fc.constantFrom("and" as const, "or" as const),
        items: fc.array(tie("condition"), { minLength: 2, maxLength: 4 }),
        at: fc.constant(at),
      }),
      fc.record({ kind: fc.constant("not" as const), item: tie("condition"), at: fc.constant(at) }),
    ),
  })).condition;

const condition = conditionOf(leaf);

const source: fc.Arbitrary<SourceName> = fc.record({ object: name, alias: fc.option(name), at: fc.constant(at) });

export const anyQuery: fc.Arbitrary<Query> = fc.record({
  explain: fc.boolean(),
  distinct: fc.boolean(),
  select: fc.array(
    fc.oneof(
      fc.record({ kind: fc.constant("star" as const), qualifier: fc.option(name), at: fc.constant(at) }),
      fc.record({ kind: fc.constant("column" as const), expression, alias: fc.option(name), at: fc.constant(at) }),
    ),
    { minLength: 1, maxLength: 4 },
  ),
  from: source,
  joins: fc.array(fc.record({ outer: fc.boolean(), source, on: condition, at: fc.constant(at) }), { maxLength: 2 }),
  where: fc.option(condition),
  groupBy: fc.array(path, { maxLength: 2 }),
  having: fc.option(condition),
  orderBy: fc.array(fc.record({ expression, descending: fc.boolean(), at: fc.constant(at) }), { maxLength: 2 }),
  limit: fc.option(fc.nat({ max: 1_000_000 })),
  offset: fc.nat({ max: 1_000_000 }),
  at: fc.constant(at),
});
