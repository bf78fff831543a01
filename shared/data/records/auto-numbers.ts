import type { Field } from "#shared/data/schema/schema";
import type { Changes } from "./check-record.ts";
import type { Target } from "./target.ts";

interface Counter {
  _id: string;
  value: number;
}

/** `INV-{0000}` with 7 → `INV-0007`; a text field without a pattern holds the bare number. */
const formatted = (pattern: unknown, value: number): string =>
  typeof pattern === "string" && /\{0+\}/.test(pattern)
    ? pattern.replace(/\{(0+)\}/, (_, zeros: string) => String(value).padStart(zeros.length, "0"))
    : String(value);

/** The next numbers of a field for a batch: the first one. One atomic command, so that no number is given twice. */
const takeNumbers = async ({ tenant, object }: Target, field: Field, count: number): Promise<number> => {
  const counter = await tenant
    .collection<Counter>("record_counter")
    .findOneAndUpdate(
      { _id: `${object}.${field.api_name}` },
      { $inc: { value: count } },
      { upsert: true, returnDocument: "after" },
    );
  if (counter === null) throw new Error("The counter was not stored.");
  return counter.value - count + 1;
};

/**
 * Numbers the records of a batch in their order. It runs before their transaction and not in it: otherwise concurrent
 * creators would all change the counter in their transactions, and all but one would start again. So a write that
 * fails leaves a gap, but no number is ever given twice. The pattern of an `auto-number` text is the field's default.
 */
export const assignAutoNumbers = async (target: Target, batch: readonly Changes[]): Promise<void> => {
  const fields = Object.values(target.schema.properties).filter(({ format }) => format === "auto-number");
  await Promise.all(
    fields.map(async (field) => {
      const first = await takeNumbers(target, field, batch.length);
      for (const [index, changes] of batch.entries()) {
        const value = first + index;
        changes[field.api_name] = field.type === "number" ? value : formatted(field.default, value);
      }
    }),
  );
};
