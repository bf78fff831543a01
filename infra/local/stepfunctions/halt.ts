import { atTime, type Clock } from "../clock.ts";

/** The branch was ended from outside: by a stop, a time limit, or the failure of a sibling. No state catches it. */
export class Halted extends Error {}

/** The work, or Halted as soon as the signal is aborted. */
export const untilHalted = <T>(work: Promise<T>, signal: AbortSignal): Promise<T> =>
  new Promise((resolve, reject) => {
    const halt = (): void => reject(new Halted());
    if (signal.aborted) halt();
    signal.addEventListener("abort", halt, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", halt));
  });

export const sleepUntil = async (clock: Clock, time: number, signal: AbortSignal): Promise<void> => {
  if (time <= clock.now()) return;
  let cancel = (): void => undefined;
  const timer = new Promise<void>((resolve) => {
    cancel = atTime(clock, time, resolve);
  });
  try {
    await untilHalted(timer, signal);
  } finally {
    cancel();
  }
};

/** A signal that is aborted with its parent, or on its own by `abort`. */
export const childOf = (parent: AbortSignal) => {
  const own = new AbortController();
  const abort = (): void => own.abort();
  if (parent.aborted) abort();
  parent.addEventListener("abort", abort, { once: true });
  return {
    signal: own.signal,
    abort,
    release: (): void => parent.removeEventListener("abort", abort),
  };
};
