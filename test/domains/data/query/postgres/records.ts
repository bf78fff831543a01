import * as fc from "fast-check";
import type { Document } from "mongodb";
import { type ColumnKind, columnsOf, type TableColumn, tableNames } from "./tables.ts";
import { days, moments, numbers, texts } from "./values.ts";

/** All records by table. Those with `hidden` exist only for tests of access. */
export type Dataset = Readonly<Record<string, readonly Document[]>>;

const most: Readonly<Record<string, number>> = { company: 10, contact: 18, lead: 30, task: 16 };

const idOf = (table: string, index: number): string => `${table.slice(0, 2)}${index}`;

/** A reference, sometimes to a missing record, and without a name if null is among the names. */
const reference = (targets: readonly string[], ...names: (string | undefined)[]): fc.Arbitrary<Document> =>
  fc
    .tuple(fc.constantFrom(...targets), fc.nat(21), fc.constantFrom("a", "B", "Ä", ...names))
    .map(([schema, index, name]) => ({ id: idOf(schema, index), schema, ...(name === undefined ? {} : { name }) }));

const json = fc.constantFrom<unknown>({ a: 1 }, { a: 1, b: [1, 2] }, [1, "x"], [null], {}, { id: "co1" });

const storedValue = ({ kind, targets }: TableColumn): fc.Arbitrary<unknown> => {
  const values: Record<ColumnKind, () => fc.Arbitrary<unknown>> = {
    // Mostly few different texts, so that joins, groups and ties by text are frequent.
    text: () => fc.oneof(fc.constantFrom("a", "A", "b", "Ä"), fc.constantFrom(...texts)),
    number: () => fc.oneof(fc.constantFrom(0, 1, 2), fc.constantFrom(...numbers)),
    boolean: () => fc.boolean(),
    date: () => fc.constantFrom(...days),
    moment: () => fc.constantFrom(...moments).map((text) => new Date(text)),
    lookup: () => reference(targets, undefined),
    lookups: () => fc.uniqueArray(reference(targets), { maxLength: 3, selector: ({ id }) => id }),
    texts: () => fc.subarray(["a", "A", "b", "ab", "Ä"]),
    json: () => json,
  };
  return fc.oneof({ weight: 5, arbitrary: values[kind]() }, { weight: 1, arbitrary: fc.constantFrom(null, undefined) });
};

const recordOf = (table: string): fc.Arbitrary<Document> =>
  fc.record({
    ...Object.fromEntries(
      columnsOf(table).flatMap(([name, column]) => (name === "id" ? [] : [[name, storedValue(column)] as const])),
    ),
    hidden: fc.oneof({ weight: 6, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: fc.constant(true) }),
  });

/** The same records for the same seed. A table may be empty. */
export const datasetOf = (seed: number): Dataset =>
  Object.fromEntries(
    tableNames.map((table, position) => {
      const count = Math.abs(seed * 7 + position * 3) % 11 === 0 ? 0 : (most[table] ?? 10);
      const records = count === 0 ? [] : fc.sample(recordOf(table), { numRuns: count, seed: seed * 31 + position });
      const stored = records.map((record, index) => {
        const set = Object.entries(record).filter(([, value]) => value !== undefined);
        return { _id: idOf(table, index), id: idOf(table, index), ...Object.fromEntries(set) };
      });
      return [table, stored] as const;
    }),
  );
