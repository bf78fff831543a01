import type { Clock } from "../clock.ts";
import type { Outcome } from "./environment.ts";

/** Lambda waits a minute before the first retry of an event and two before the second. */
const retryDelays = [60_000, 120_000];
/** A throttled event is tried again from 1 s, doubling up to 5 min, for 6 hours. */
const longestThrottleDelay = 300_000;
const oldestEvent = 6 * 60 * 60_000;

interface AsynchronousOptions {
  readonly clock: Clock;
  readonly invoke: (functionName: string, requestId: string, event: string) => Promise<Outcome | undefined>;
  readonly onDropped: (functionName: string, requestId: string, reason: string) => void;
}

/** Invocations of type Event: accepted at once, run in the background, tried three times in all. */
export const asynchronousInvocations = ({ clock, invoke, onDropped }: AsynchronousOptions) => {
  const running = new Set<Promise<void>>();
  const attempt = async (name: string, requestId: string, event: string, since: number, failures: number, throttles: number) => {
    const outcome = await invoke(name, requestId, event);
    const again = (delay: number, failed: number, throttled: number): void => {
      clock.after(delay, () => track(attempt(name, requestId, event, since, failed, throttled)));
    };
    if (outcome === undefined) {
      if (clock.now() - since > oldestEvent) return onDropped(name, requestId, "the event was throttled for six hours");
      return again(Math.min(1000 * 2 ** throttles, longestThrottleDelay), failures, throttles + 1);
    }
    if (!outcome.failed) return;
    const delay = retryDelays[failures];
    if (delay === undefined) return onDropped(name, requestId, "the event failed three times");
    again(delay, failures + 1, throttles);
  };
  const track = (work: Promise<void>): void => {
    running.add(work);
    void work.finally(() => running.delete(work));
  };
  return {
    accept: (name: string, requestId: string, event: string): void =>
      track(attempt(name, requestId, event, clock.now(), 0, 0)),
    /** Resolves when no attempt is running. */
    settled: async (): Promise<void> => void (await Promise.allSettled(running)),
  };
};
