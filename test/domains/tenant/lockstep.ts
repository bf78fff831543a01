/** Pauses an actor, so that others go on. `before` names what it does next. */
export type Turn = (before: string) => Promise<unknown>;

/** Longer than a command takes. Who is not back after it waits for somebody else's transaction. */
const BLOCKED_MS = 15;

/**
 * Runs actors one step at a time: each waits at every turn until it is picked among those that wait. `picks` are any
 * numbers; when they are used up, the first is picked. Gives the steps in their order.
 */
export const lockstep = async (
  actors: readonly ((turn: Turn) => Promise<unknown>)[],
  picks: readonly number[],
): Promise<string[]> => {
  const waiting: { readonly step: string; readonly release: () => void }[] = [];
  const steps: string[] = [];
  let live = actors.length;
  let notify = (): void => undefined;
  const running = actors.map((actor, index) =>
    actor(
      (before) =>
        new Promise<void>((release) => {
          waiting.push({ step: `${index}: ${before}`, release });
          notify();
        }),
    ).finally(() => {
      live -= 1;
      notify();
    }),
  );
  const settled = async (): Promise<void> => {
    while (waiting.length < live) {
      let timer: NodeJS.Timeout | undefined;
      const isBlocked = await new Promise<boolean>((resolve) => {
        notify = () => resolve(false);
        timer = setTimeout(() => resolve(true), BLOCKED_MS);
      });
      clearTimeout(timer);
      if (isBlocked && waiting.length > 0) return;
    }
  };
  for (;;) {
    await settled();
    if (live === 0) break;
    const [next] = waiting.splice((picks[steps.length] ?? 0) % waiting.length, 1);
    if (next === undefined) continue;
    steps.push(next.step);
    next.release();
    // The released actor is not among those that wait until its step has ended.
  }
  await Promise.all(running);
  return steps;
};
