import * as fc from "fast-check";
import type { Document } from "mongodb";
import type { Condition, Literal, Operand, Path } from "#shared/data/query/parse/syntax";
import { conditionOf } from "./arbitrary-query.ts";
import type { ReadOperand, Value } from "./reference-condition.ts";

const at = { offset: 0, length: 0, line: 1, column: 1 };

const texts = ["a", "b", "B", "ab", "Ä", "ß", "a%", "a_", "a.b", "x\ny", "", "\u{1F600}", "\uFFFD", "$name", "10"];
const numbers = [-1, 0, 0.5, 1, 2, 10];
const dates = ["2026-03-01", "2026-03-15", "2026-03-17", "2026-03-18", "2026-04-01"];
const moments = [
  "2026-03-01T00:00:00.000Z",
  "2026-03-15T23:59:59.999Z",
  "2026-03-17T12:00:00.000Z",
  "2026-03-18T00:00:00.000Z",
  "2026-04-01T06:00:00.000Z",
];

const or = <T>(...values: T[]) => fc.constantFrom(...values);
const maybe = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | null | undefined> =>
  fc.oneof({ weight: 4, arbitrary: value }, { weight: 1, arbitrary: or(null, undefined) });

/** As stored: a field without a value is null or missing. */
export const leadDocument: fc.Arbitrary<Document> = fc
  .record({
    name: maybe(or(...texts)),
    status: maybe(or("a", "b", "B")),
    amount: maybe(or(...numbers)),
    score: maybe(or(...numbers)),
    active: maybe(fc.boolean()),
    due: maybe(or(...dates)),
    created_date: maybe(or(...moments).map((text) => new Date(text))),
    company: maybe(or("c1", "c2", "c3").map((id) => ({ id, schema: "company", name: id === "c1" ? "a" : "ab" }))),
    tags: maybe(fc.subarray(["a", "b", "ab"])),
  })
  .map((fields) => Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)));

const fields = {
  name: { names: ["name"], values: or(...texts) },
  status: { names: ["status"], values: or("a", "b", "c") },
  amount: { names: ["amount"], values: or(...numbers) },
  score: { names: ["score"], values: or(...numbers) },
  active: { names: ["active"], values: fc.boolean() },
  due: { names: ["due"], values: or(...dates, "today", "last_n_days:3") },
  created: { names: ["created_date"], values: or(...dates, ...moments, "today", "yesterday", "last_n_days:3") },
  company: { names: ["company"], values: or("c1", "c2", "c4") },
  companyName: { names: ["company", "name"], values: or("a", "ab") },
  tags: { names: ["tags"], values: or("a", "b", "c") },
} as const;

type FieldName = keyof typeof fields;

const pathOf = (name: FieldName): Path => ({
  kind: "path",
  names: fields[name].names.map((text) => ({ text, at })),
  at,
});

const relatives: Record<string, Literal & { kind: "relative" }> = {
  today: { kind: "relative", word: "today", date: { unit: "day", from: 0, to: 0 }, at },
  yesterday: { kind: "relative", word: "yesterday", date: { unit: "day", from: -1, to: -1 }, at },
  "last_n_days:3": { kind: "relative", word: "last_n_days:3", date: { unit: "day", from: -3, to: 0 }, at },
};

const literalOf = (value: string | number | boolean): Literal => {
  if (typeof value === "number") return { kind: "number", value, at };
  if (typeof value === "boolean") return { kind: "boolean", value, at };
  return relatives[value] ?? { kind: "string", value, at };
};

const literalFor = (name: FieldName): fc.Arbitrary<Literal> => {
  const values: fc.Arbitrary<string | number | boolean> = fields[name].values;
  return fc.oneof(
    { weight: 8, arbitrary: values.map(literalOf) },
    { weight: 1, arbitrary: fc.constant<Literal>({ kind: "null", at }) },
  );
};

const scalars: readonly FieldName[] = [
  "name",
  "status",
  "amount",
  "score",
  "active",
  "due",
  "created",
  "company",
  "companyName",
];
const scalar = fc.constantFrom(...scalars);
const anyField = fc.constantFrom(...scalars, "tags" as const);
const negated = fc.boolean();
const ordering = or("=" as const, "!=" as const, "<" as const, "<=" as const, ">" as const, ">=" as const);
const patterns = or("a", "%a", "a%", "%b%", "_", "__", "%", "a\\%", "a\\_", "A.B", "x_y", "%a%b%", "$NAME", "", "ä");

const leaf: fc.Arbitrary<Condition> = fc.oneof(
  scalar.chain((name) =>
    fc.record({
      kind: fc.constant("comparison" as const),
      operator: ordering,
      left: fc.constant(pathOf(name)),
      right: literalFor(name),
      at: fc.constant(at),
    }),
  ),
  fc.record({
    kind: fc.constant("comparison" as const),
    operator: or("=" as const, "!=" as const),
    left: fc.constant(pathOf("tags")),
    right: literalFor("tags"),
    at: fc.constant(at),
  }),
  fc.record({
    kind: fc.constant("comparison" as const),
    operator: ordering,
    left: fc.constant(pathOf("amount")),
    right: fc.constant(pathOf("score")),
    at: fc.constant(at),
  }),
  scalar.chain((name) =>
    fc.record({
      kind: fc.constant("between" as const),
      negated,
      left: fc.constant(pathOf(name)),
      low: literalFor(name),
      high: literalFor(name),
      at: fc.constant(at),
    }),
  ),
  anyField.chain((name) =>
    fc.record({
      kind: fc.constant("in" as const),
      negated,
      left: fc.constant(pathOf(name)),
      values: fc.array(literalFor(name), { minLength: 1, maxLength: 3 }),
      at: fc.constant(at),
    }),
  ),
  fc.record({
    kind: fc.constant("like" as const),
    negated,
    left: or(pathOf("name"), pathOf("companyName"), pathOf("tags")),
    pattern: patterns.map((value): Literal => ({ kind: "string", value, at })),
    at: fc.constant(at),
  }),
  anyField.chain((name) =>
    fc.record({ kind: fc.constant("is-null" as const), negated, left: fc.constant(pathOf(name)), at: fc.constant(at) }),
  ),
);

/** Conditions on leads that compile. */
export const leadCondition: fc.Arbitrary<Condition> = conditionOf(leaf, 3);

/** The value of an operand in a stored lead, in SQL's terms. */
export const leadReader =
  (record: Document): ReadOperand =>
  (operand: Operand): Value => {
    if (operand.kind === "path") {
      const [first = "", part] = operand.names.map((name) => name.text);
      const stored = record[first] ?? null;
      if (first === "company") return stored?.[part ?? "id"] ?? null;
      return Array.isArray(stored) && stored.length === 0 ? null : stored;
    }
    if (operand.kind === "relative") return operand.word;
    if (operand.kind === "aggregate" || operand.kind === "me" || operand.kind === "null") return null;
    return operand.value;
  };
