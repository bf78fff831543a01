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
