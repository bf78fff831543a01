import type { Clock } from "../clock.ts";
import type { Capacity } from "./capacity.ts";
import { type Environment, type EnvironmentOptions, type Outcome, openEnvironment } from "./environment.ts";
import { fairQueue, type Waiting } from "./fair-queue.ts";

/** How long an event waits for a busy environment before another one is started. */
const patience = 10;

/** The maximum of concurrent events of one caller of a function. AWS has none. */
const ofOneCaller = { share: 8, modest: 4, longest: 1000, largest: 64 * 1024 * 1024 } as const;
const longestQueue = 5000;

interface Job extends Waiting {
  readonly requestId: string;
  readonly event: string;
  readonly finish: (outcome: Outcome | undefined) => void;
}

/** The caller of an event, and how long it waits. */
export interface Invoker {
  readonly caller: string | undefined;
  readonly milliseconds: number;
}

interface PoolOptions {
  readonly capacity: Capacity;
  readonly clock: Clock;
  /** Reserved concurrency; undefined for none. */
  readonly reservedConcurrency: number | undefined;
  /** Milliseconds after which an idle environment ends. */
  readonly idleLimit: number;
  readonly environment: Omit<EnvironmentOptions, "onReady" | "onEnd">;
}

export interface Pool {
  /** The outcome; undefined if the function is throttled. */
  invoke(requestId: string, event: string, invoker?: Invoker): Promise<Outcome | undefined>;
  /** The number of environments. */
  size(): number;
  stop(): Promise<void>;
}

/**
 * The execution environments of one function. Each handles one event at a time. The most recently used one is
 * preferred, so that the others become idle and end.
 */
export const openPool = ({ capacity, clock, reservedConcurrency, idleLimit, environment }: PoolOptions): Pool => {
  const idle: { environment: Environment; since: number }[] = [];
  const all = new Set<Environment>();
  const waiting = fairQueue<Job>(ofOneCaller);
  let starting = 0;
  let working = 0;
  let growing: NodeJS.Timeout | undefined;
  let stopped = false;

  const start = (one: Environment, job: Job): void => {
    working++;
    waiting.started(job.caller);
    one.run(job.requestId, job.event, (outcome) => {
      working--;
      waiting.finished(job.caller);
      if (all.has(one)) idle.push({ environment: one, since: clock.now() });
      dispatch();
      grow();
      job.finish(outcome);
    });
  };

  const next = (free: number): Job | undefined => waiting.next(free, (late) => late.finish(undefined));

  /** Gives waiting events to free environments. */
  const dispatch = (): void => {
    while (idle.length > 0) {
      const job = next(idle.length);
      const free = job && idle.pop();
      if (job === undefined || free === undefined) return;
      start(free.environment, job);
    }
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
        if (failure === undefined) {
          idle.push({ environment: opened, since: clock.now() });
          dispatch();
        } else next(Number.POSITIVE_INFINITY)?.finish(failure);
        grow();
      },
      onEnd: () => {
        remove(opened);
        grow();
      },
    });
    all.add(opened);
  };

  /** Starts another environment when the oldest event has waited long enough, and checks again while any wait. */
  const grow = (): void => {
    const { count, since } = waiting.ready();
    if (count === 0 || stopped) return;
    const due = all.size === 0 || performance.now() - since >= patience;
    const mayStart = starting < count && capacity.starting.count < capacity.starting.limit;
    // Idle environments of this function could not be used by the waiting events, so ending one for another would be
    // useless.
    if (due && mayStart && capacity.take(idle.length === 0)) open();
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
    invoke: (
      requestId,
      event,
      { caller, milliseconds } = { caller: undefined, milliseconds: Number.POSITIVE_INFINITY },
    ) =>
      new Promise((finish) => {
        const queued = waiting.length();
        const taken = working + queued;
        const since = performance.now();
        const job: Job = { requestId, event, finish, caller, bytes: event.length, since, until: since + milliseconds };
        if (stopped || taken >= (reservedConcurrency ?? Number.POSITIVE_INFINITY)) return finish(undefined);
        const free = waiting.mayStart(caller, idle.length) ? idle.pop() : undefined;
        if (free !== undefined) start(free.environment, job);
        else if (queued < longestQueue && waiting.push(job)) grow();
        else finish(undefined);
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
