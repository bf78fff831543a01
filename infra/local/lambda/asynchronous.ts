import type { Clock } from "../clock.ts";
import type { Outcome } from "./environment.ts";

/** Lambda waits a minute before the first retry of an event and two before the second. */
const retryDelays = [60_000, 120_000];
/** A throttled event is tried again from 1 s, doubling up to 5 min. */
const longestThrottleDelay = 300_000;

/** How long Lambda tries an event. */
export interface EventLimits {
  /** Attempts after a failed one, at most 2. */
  readonly retries: number;
  /** Milliseconds after which no attempt begins. */
  readonly oldest: number;
}

const ordinaryLimits: EventLimits = { retries: retryDelays.length, oldest: 6 * 60 * 60_000 };
const times = ["once", "twice", "three times"];

interface AsynchronousOptions {
  readonly clock: Clock;
  readonly invoke: (functionName: string, requestId: string, event: string) => Promise<Outcome | undefined>;
  /** Undefined for a function with the ordinary limits. */
  readonly limitsOf: (functionName: string) => EventLimits | undefined;
  readonly onDropped: (functionName: string, requestId: string, reason: string) => void;
}

interface Accepted {
  readonly functionName: string;
  readonly requestId: string;
  readonly event: string;
  readonly since: number;
  readonly failures: number;
  readonly throttles: number;
  /** Called when the event was handled or dropped. */
  readonly onEnd: (() => void) | undefined;
}

/** Asynchronous invocations: accepted at once, run in the background, by default with three attempts. */
export const asynchronousInvocations = ({ clock, invoke, limitsOf, onDropped }: AsynchronousOptions) => {
  const running = new Set<Promise<void>>();
  const attempt = async (one: Accepted): Promise<void> => {
    const outcome = await invoke(one.functionName, one.requestId, one.event);
    const { retries, oldest } = limitsOf(one.functionName) ?? ordinaryLimits;
    const drop = (reason: string): void => {
      onDropped(one.functionName, one.requestId, reason);
      one.onEnd?.();
    };
    const again = (delay: number, next: Accepted): void => {
      if (clock.now() + delay - one.since > oldest) drop("the event became too old");
      else clock.after(delay, () => track(attempt(next)));
    };
    if (outcome === undefined) {
      const delay = Math.min(1000 * 2 ** one.throttles, longestThrottleDelay);
      return again(delay, { ...one, throttles: one.throttles + 1 });
    }
    if (!outcome.failed) return one.onEnd?.();
    const delay = retryDelays[one.failures];
    if (delay === undefined || one.failures >= retries) return drop(`the event failed ${times[one.failures]}`);
    again(delay, { ...one, failures: one.failures + 1 });
  };
  const track = (work: Promise<void>): void => {
    running.add(work);
    void work.finally(() => running.delete(work));
  };
  return {
    accept: (functionName: string, requestId: string, event: string, onEnd?: () => void): void =>
      track(attempt({ functionName, requestId, event, since: clock.now(), failures: 0, throttles: 0, onEnd })),
    /** Resolves when no attempt is running. */
    settled: async (): Promise<void> => void (await Promise.allSettled(running)),
  };
};
