import type { Clock } from "../../infra/local/clock.ts";

/** A clock that tests move. Timers that become due run in order. */
export const fakeClock = (
  start = Date.UTC(2026, 2, 12, 19, 3, 58),
): Clock & { advance(milliseconds: number): void } => {
  let now = start;
  const timers = new Set<{ due: number; work: () => void }>();
  return {
    now: () => now,
    after: (milliseconds, work) => {
      const timer = { due: now + milliseconds, work };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    advance: (milliseconds) => {
      const end = now + milliseconds;
      for (;;) {
        const [next] = [...timers].filter((timer) => timer.due <= end).sort((left, right) => left.due - right.due);
        if (next === undefined) break;
        timers.delete(next);
        now = next.due;
        next.work();
      }
      now = end;
    },
  };
};
