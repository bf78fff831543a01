import { flush, type Operating } from "../engine.ts";
import { now, timeIsUp } from "../pace.ts";
import { ended, HeldByTransaction } from "../transactions.ts";

/** Repeats an action until no transaction stands in its way. The action changes nothing before it throws. */
export async function patiently<T>(operating: Operating, action: () => T): Promise<T> {
  for (;;) {
    try {
      return action();
    } catch (error) {
      if (!(error instanceof HeldByTransaction)) throw error;
      flush(operating);
      await waitFor(operating, error);
    }
  }
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
  if (now() >= operating.deadline) throw timeIsUp();
}
