import type { Clock } from "../clock.ts";

/** A token bucket with a burst size and a rate per second. `true` admits a request. */
export const tokenBucket = (clock: Clock, rate: number, burst: number): (() => boolean) => {
  let tokens = burst;
  let last = clock.now();
  return () => {
    const now = clock.now();
    tokens = Math.min(burst, tokens + ((now - last) / 1000) * rate);
    last = now;
    if (tokens < 1) return false;
    tokens--;
    return true;
  };
};
