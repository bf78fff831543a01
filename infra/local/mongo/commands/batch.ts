import type { CommandContext } from "../execution/context.ts";
import { shouldYield } from "../foundation/budget.ts";
import type { Coroutine } from "../foundation/coroutine.ts";
import { MongoFault } from "../foundation/fault.ts";
import { DuplicateKeyFault } from "../storage/catalog.ts";
import { Doc } from "../values/document.ts";
import type { Value } from "../values/types.ts";

/** The failure of one statement in a reply. */
export function writeError(index: number, error: MongoFault): Doc {
  const extra = error instanceof DuplicateKeyFault ? { keyPattern: error.keyPattern, keyValue: error.keyValue } : {};
  return Doc.from({ index, code: error.code, errmsg: error.message, ...extra });
}

const maxBatch = 100_000;

export function checkBatch(count: number): void {
  if (count < 1 || count > maxBatch)
    throw new MongoFault(
      "InvalidLength",
      `Write batch sizes must be between 1 and ${maxBatch}. Got ${count} operations.`,
    );
}

/** Runs the statements of a batch. The first error ends an ordered batch. Errors of transactions end the command. */
export function* batch(
  context: CommandContext,
  count: number,
  run: (i: number) => Coroutine<void> | undefined,
): Coroutine<Doc[]> {
  const errors: Doc[] = [];
  const ordered = context.command.get("ordered") !== false;
  for (let i = 0; i < count; i++) {
    try {
      if (shouldYield()) yield;
      const running = run(i);
      if (running !== undefined) yield* running;
    } catch (error) {
      if (!(error instanceof MongoFault) || error.labels.length > 0 || error.codeName === "MaxTimeMSExpired")
        throw error;
      errors.push(writeError(i, error));
      if (ordered) break;
    }
  }
  return errors;
}

export const withErrors = (reply: Record<string, Value>, errors: readonly Doc[]): Doc =>
  Doc.from(errors.length === 0 ? reply : { ...reply, writeErrors: [...errors] });
