/** The clock of the local services. Time limits of handlers use real time instead. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /**
   * Runs the work after so many milliseconds. Gives a function that cancels it. Timers do not keep the process alive.
   */
  after(milliseconds: number, work: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  after: (milliseconds, work) => {
    const timer = setTimeout(work, milliseconds);
    timer.unref();
    return () => clearTimeout(timer);
  },
};

/** Timers of Node have 31 bits. */
const longestTimer = 2 ** 31 - 1;

/** Calls the work at a time of the clock. Gives a function that cancels it. */
export const atTime = (clock: Clock, time: number, work: () => void): (() => void) => {
  let cancel = (): void => undefined;
  const arm = (): void => {
    const left = Math.max(0, time - clock.now());
    cancel = clock.after(Math.min(left, longestTimer), left > longestTimer ? arm : work);
  };
  arm();
  return () => cancel();
};
