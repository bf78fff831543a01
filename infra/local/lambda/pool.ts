import type { Clock } from "../clock.ts";
import type { Capacity } from "./capacity.ts";
import { type Environment, type EnvironmentOptions, type Outcome, openEnvironment } from "./environment.ts";

/** How long an event waits for a busy environment before another one is started for it. */
const patience = 10;
const longestQueue = 1000;
const idleLimit = 60_000;

interface Job {
  readonly requestId: string;
  readonly event: string;
  readonly finish: (outcome: Outcome) => void;
  readonly since: number;
}

interface PoolOptions {
  readonly capacity: Capacity;
  readonly clock: Clock;
  /** Of the function; undefined is no limit of its own. */
  readonly reservedConcurrency: number | undefined;
  readonly environment: Omit<EnvironmentOptions, "onReady" | "onEnd">;
}

export interface Pool {
  /** The outcome, or undefined when the function is throttled. */
  invoke(requestId: string, event: string): Promise<Outcome | undefined>;
  /** How many environments there are. */
  size(): number;
  stop(): Promise<void>;
}

/**
 * The execution environments of one function. Each works on one event at a time; the one used last is used first, so
 * that the others become idle and end.
 */
export const openPool = ({ capacity, clock, reservedConcurrency, environment }: PoolOptions): Pool => {
  const idle: { environment: Environment; since: number }[] = [];
  const all = new Set<Environment>();
  const waiting: Job[] = [];
  let starting = 0;
  let working = 0;
  let growing: NodeJS.Timeout | undefined;
  let stopped = false;

  const start = (one: Environment, job: Job): void => {
    working++;
    one.run(job.requestId, job.event, (outcome) => {
      working--;
      if (all.has(one)) release(one);
      job.finish(outcome);
    });
  };

  /** A free environment takes the next event, or waits for one. */
  const release = (one: Environment): void => {
    const next = waiting.shift();
    if (next !== undefined) start(one, next);
    else idle.push({ environment: one, since: clock.now() });
  };

  const remove = (one: Environment): void => {
    if (!all.delete(one)) return;
    capacity.give();
    const place = idle.findIndex((entry) => entry.environment === one);
    if (place >= 0) idle.splice(place, 1);
  };

  const open = (): void => {
    starting++;
    capacity.starting.count++;
    const opened = openEnvironment({
      ...environment,
      onReady: (failure) => {
        starting--;
        capacity.starting.count--;
        if (failure === undefined) release(opened);
        else waiting.shift()?.finish(failure);
        grow();
      },
      onEnd: () => {
        remove(opened);
        grow();
      },
    });
    all.add(opened);
  };

  /** Starts another environment when the oldest event has waited long enough, and looks again while any wait. */
  const grow = (): void => {
    const oldest = waiting[0];
    if (oldest === undefined || stopped) return;
    const due = all.size === 0 || performance.now() - oldest.since >= patience;
    const mayStart = starting < waiting.length && capacity.starting.count < capacity.starting.limit;
    if (due && mayStart && capacity.take()) open();
    growing ??= setTimeout(() => {
      growing = undefined;
      grow();
    }, patience);
  };

  const endIdle = (): void => {
    const entry = idle.shift();
    if (entry === undefined) return;
    remove(entry.environment);
    void entry.environment.stop();
  };

  capacity.join({ idleSince: () => idle[0]?.since, endIdle });
  let cancelReaping = (): void => undefined;
  const reap = (): void => {
    while (idle[0] !== undefined && clock.now() - idle[0].since >= idleLimit) endIdle();
    cancelReaping = clock.after(idleLimit / 2, reap);
  };
  cancelReaping = clock.after(idleLimit / 2, reap);

  return {
    invoke: (requestId, event) =>
      new Promise((finish) => {
        const taken = working + waiting.length;
        if (stopped || taken >= (reservedConcurrency ?? Number.POSITIVE_INFINITY) || waiting.length >= longestQueue) {
          finish(undefined);
          return;
        }
        const job: Job = { requestId, event, finish, since: performance.now() };
        const free = idle.pop();
        if (free !== undefined) start(free.environment, job);
        else {
          waiting.push(job);
          grow();
        }
      }),
    size: () => all.size,
    stop: async () => {
      stopped = true;
      cancelReaping();
      clearTimeout(growing);
      await Promise.all([...all].map((one) => one.stop()));
      all.clear();
    },
  };
};
