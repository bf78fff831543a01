/** The time of the local services. Execution limits of handlers run on real time; everything else runs on this. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Runs the work after so many milliseconds; returns what cancels it. A pending timer never keeps the process alive. */
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
