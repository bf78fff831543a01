import * as fc from "fast-check";
import type { Aggregate, AggregateName, Expression, Literal, Path } from "#shared/data/query/parse/syntax";
import { type ColumnKind, columnsOf } from "./tables.ts";
import { days, momentTexts, numbers, patterns, texts } from "./values.ts";

/** The positions of these trees are not used. */
export const at = { offset: 0, length: 0, line: 1, column: 1 };

/** How a value is compared; a lookup by its id, which is text. */
export type Comparing = "text" | "number" | "boolean" | "date" | "moment" | "json";

/** An expression that a query may use, with its kind. */
export interface Typed {
  readonly expression: Expression;
  readonly comparing: Comparing;
  readonly several: boolean;
  /** A whole lookup, which LIKE, MIN and MAX refuse. */
  readonly whole: boolean;
}

export interface NamedTable {
  readonly name: string;
  readonly table: string;
}

const pathOf = (...names: string[]): Path => ({ kind: "path", names: names.map((text) => ({ text, at })), at });

const comparingOf = (kind: ColumnKind): Comparing =>
  kind === "lookup" || kind === "lookups" || kind === "texts" ? "text" : kind;

/** All expressions over the sources: whole fields, and parts of lookups. */
export const typedColumns = (sources: readonly NamedTable[], unqualified = true): Typed[] =>
  sources.flatMap(({ name, table }, index) =>
    columnsOf(table).flatMap(([field, { kind }]) => {
      // If several objects have the field, it means that of FROM; `company.name` means the object's if there is one.
      const bare = unqualified && index === 0;
      const parts = kind === "lookup" || kind === "lookups";
      const several = kind === "lookups" || kind === "texts";
      const typed = (names: string[], whole: boolean): Typed => {
        const expression = pathOf(...names);
        return { expression, comparing: comparingOf(kind), several, whole };
      };
      const hidden = sources.some((source) => source.name === field);
      return [
        typed([name, field], parts),
        ...(bare ? [typed([field], parts)] : []),
        ...(parts ? ["id", "name", "schema"].map((part) => typed([name, field, part], false)) : []),
        ...(parts && bare && !hidden ? [typed([field, "name"], false)] : []),
      ];
    }),
  );

/** An aggregate's text is its key, so it is written as by the printer. */
const aggregateOf = (name: AggregateName, distinct: boolean, argument: Path | null): Aggregate => {
  const written = argument?.names.map((part) => `\`${part.text}\``).join(".") ?? "*";
  return {
    kind: "aggregate",
    name,
    distinct,
    argument,
    text: `${name}(${distinct ? "DISTINCT " : ""}${written})`,
    at,
  };
};

export const typedAggregates = (columns: readonly Typed[]): Typed[] => {
  const made = (name: AggregateName, distinct: boolean, argument: Path | null, comparing: Comparing): Typed => ({
    expression: aggregateOf(name, distinct, argument),
    comparing,
    several: false,
    whole: false,
  });
  return [
    made("COUNT", false, null, "number"),
    ...columns.flatMap(({ expression, comparing, several, whole }) => {
      if (expression.kind !== "path") return [];
      const single = !several && comparing !== "json";
      const ordered = single && !whole && comparing !== "boolean";
      return [
        made("COUNT", false, expression, "number"),
        ...(single ? [made("COUNT", true, expression, "number")] : []),
        ...(ordered ? [made("MIN", false, expression, comparing), made("MAX", true, expression, comparing)] : []),
        ...(comparing === "number" && single
          ? [made("SUM", false, expression, "number"), made("AVG", false, expression, "number")]
          : []),
      ];
    }),
  ];
};

const literal = (value: string | number | boolean): Literal => {
  if (typeof value === "string") return { kind: "string", value, at };
  return typeof value === "number" ? { kind: "number", value, at } : { kind: "boolean", value, at };
};

const units = ["day", "week", "month", "quarter", "year"] as const;

const relative: fc.Arbitrary<Literal> = fc.oneof(
  fc.constantFrom<Literal>(
    { kind: "relative", word: "now", date: "now", at },
    { kind: "relative", word: "today", date: { unit: "day", from: 0, to: 0 }, at },
    { kind: "relative", word: "yesterday", date: { unit: "day", from: -1, to: -1 }, at },
  ),
  fc
    .tuple(fc.constantFrom(...units.slice(1)), fc.constantFrom(["last", -1], ["this", 0], ["next", 1]))
    .map(([unit, [word, shift]]): Literal => {
      const date = { unit, from: Number(shift), to: Number(shift) };
      return { kind: "relative", word: `${word}_${unit}`, date, at };
    }),
  fc.tuple(fc.constantFrom(...units), fc.integer({ min: 1, max: 12 }), fc.nat(2)).map(([unit, count, way]): Literal => {
    const word = [`last_n_${unit}s`, `next_n_${unit}s`, `n_${unit}s_ago`][way] as string;
    const range = [
      { from: -count, to: unit === "day" ? 0 : -1 },
      { from: 1, to: count },
      { from: -count, to: -count },
    ][way] as { from: number; to: number };
    return { kind: "relative", word: `${word}:${count}`, date: { unit, ...range }, at };
  }),
);

const none: Literal = { kind: "null", at };

/** Values that may be compared with an expression. */
export const literalFor = ({ comparing, whole }: Typed): fc.Arbitrary<Literal> => {
  const values: Record<Exclude<Comparing, "json">, fc.Arbitrary<Literal>> = {
    text: fc.oneof(
      fc.constantFrom("a", "A", "b", "Ä", "co1", "co2", "ct3", "le1").map(literal),
      fc.constantFrom(...(whole ? ["company", "co3"] : texts)).map(literal),
    ),
    number: fc.oneof(
      fc.constantFrom(0, 1, 2).map(literal),
      fc.constantFrom<string | number>(...numbers, "1", "0.5", "-1").map(literal),
    ),
    boolean: fc.constantFrom<string | boolean>(true, false, "true", "FALSE").map(literal),
    date: fc.oneof(fc.constantFrom(...days).map(literal), relative),
    moment: fc.oneof(fc.constantFrom(...momentTexts, ...days).map(literal), relative),
  };
  const value = comparing === "json" ? fc.constant(none) : values[comparing];
  return fc.oneof({ weight: 9, arbitrary: value }, { weight: 1, arbitrary: fc.constant(none) });
};

export const patternLiteral: fc.Arbitrary<Literal> = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom(...patterns).map(literal) },
  { weight: 1, arbitrary: fc.constant(none) },
);
