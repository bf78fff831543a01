import { atTime, type Clock } from "../clock.ts";

/**
 * Runs the work at each multiple of the interval after now, until the given function is called. Times that pass while
 * the process is suspended are skipped.
 */
export const recurring = (clock: Clock, interval: number, work: () => void): (() => void) => {
  const beginning = clock.now();
  let cancel = (): void => undefined;
  const arm = (before: number): void => {
    // A timer may fire a little too early by the clock, so that the time of the last run is not in the past yet.
    const next = Math.max(before, Math.floor((clock.now() - beginning) / interval)) + 1;
    cancel = atTime(clock, beginning + next * interval, () => {
      arm(next);
      work();
    });
  };
  arm(0);
  return () => cancel();
};
