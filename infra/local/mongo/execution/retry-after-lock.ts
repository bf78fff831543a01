import { now } from "../foundation/budget.ts";
import type { Coroutine } from "../foundation/coroutine.ts";
import { LockedByTransaction, transactionEnded } from "../storage/transactions.ts";
import type { CommandContext } from "./context.ts";

/** Repeats an action until no transaction holds a lock that it needs. The action changes nothing before it throws. */
export function* retryAfterLock<T>(context: CommandContext, action: () => T): Coroutine<T> {
  for (;;) {
    try {
      return action();
    } catch (error) {
      if (!(error instanceof LockedByTransaction)) throw error;
      yield* waitForTransaction(context, error);
    }
  }
}

/** Waits until the transaction ends, or until the time limit of the command. */
export function* waitForTransaction(context: CommandContext, error: LockedByTransaction): Coroutine<void> {
  yield waitFor(context, error);
}

async function waitFor(context: CommandContext, { holder }: LockedByTransaction): Promise<void> {
  const left = context.deadline - now();
  if (left === Number.POSITIVE_INFINITY) return transactionEnded(holder);
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, Math.max(0, left));
  });
  await Promise.race([transactionEnded(holder), timeout]);
  clearTimeout(timer);
}
