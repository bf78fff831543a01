import type { ClientSession } from "mongodb";
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

/**
 * Numbers the records of a batch in their order. There are no gaps, because the counter is incremented in the
 * transaction of the records. The pattern of an `auto-number` text is the field's default.
 */
export const assignAutoNumbers = async (
  target: Target,
  batch: readonly Changes[],
  session: ClientSession,
): Promise<void> => {
  for (const field of Object.values(target.schema.properties)) {
    if (field.format !== "auto-number") continue;
    const counter = await target.tenant
      .collection<Counter>("record_counter")
      .findOneAndUpdate(
        { _id: `${target.object}.${field.api_name}` },
        { $inc: { value: batch.length } },
        { upsert: true, returnDocument: "after", session },
      );
    const before = (counter?.value ?? batch.length) - batch.length;
    for (const [index, changes] of batch.entries()) {
      const value = before + index + 1;
      changes[field.api_name] = field.type === "number" ? value : formatted(field.default, value);
    }
  }
};
