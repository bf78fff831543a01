import { now } from "../foundation/pace.ts";
import type { Routine } from "../foundation/routine.ts";
import { ended, HeldByTransaction } from "../storage/transactions.ts";
import type { Operating } from "./context.ts";

/** Repeats an action until no transaction stands in its way. The action changes nothing before it throws. */
export function* patiently<T>(operating: Operating, action: () => T): Routine<T> {
  for (;;) {
    try {
      return action();
    } catch (error) {
      if (!(error instanceof HeldByTransaction)) throw error;
      yield* patience(operating, error);
    }
  }
}

/** Waits for the transaction that stands in the way, or until the time is up. */
export function* patience(operating: Operating, error: HeldByTransaction): Routine<void> {
  yield waitFor(operating, error);
}

async function waitFor(operating: Operating, { holder }: HeldByTransaction): Promise<void> {
  const left = operating.deadline - now();
  if (left === Number.POSITIVE_INFINITY) return ended(holder);
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, Math.max(0, left));
  });
  await Promise.race([ended(holder), timeout]);
  clearTimeout(timer);
}
