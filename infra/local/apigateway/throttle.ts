import type { Clock } from "../clock.ts";

/** A token bucket: so many requests at once, refilled at so many a second. `true` lets one pass. */
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
