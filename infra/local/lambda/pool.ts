import type { Clock } from "../clock.ts";
import type { Capacity, CapacityMember } from "./capacity.ts";
import type { Environment, EnvironmentHooks, Outcome } from "./environment.ts";
import { fairQueue, type Waiting } from "./fair-queue.ts";

/** Milliseconds between two looks at the waiting events. */
const interval = 10;

/** The maximum of concurrent events of one caller of a function. AWS has none. */
const ofOneCaller = { share: 8, modest: 4, longest: 1000, largest: 64 * 1024 * 1024 } as const;
const longestQueue = 5000;
/** Milliseconds of service, after which an environment ends if others wait for its place. */
const slice = 1_000;

interface Job extends Waiting {
  readonly requestId: string;
  readonly event: string;
  readonly finish: (outcome: Outcome | undefined) => void;
}

/** The caller of an event, and how long it waits. */
export interface Invoker {
  readonly caller: string | undefined;
  readonly milliseconds: number;
  /** For functions with tenant isolation. */
  readonly tenant?: string;
}

export type OpenEnvironment = (hooks: EnvironmentHooks) => Environment;

interface PoolOptions {
  readonly capacity: Capacity;
  readonly clock: Clock;
  /** Reserved concurrency; undefined for none. */
  readonly reservedConcurrency: number | undefined;
  /** Milliseconds after which an idle environment ends. */
  readonly idleLimit: number;
  /** Milliseconds that an event waits for a busy environment before another one is started. */
  readonly patience?: number;
  /** The maximum of environments; without it the capacity is the only limit. */
  readonly most?: number;
  /** Whether an environment ends after its event if other pools wait for the capacity and this one has its share. */
  readonly yields?: true;
  readonly open: OpenEnvironment;
}

export interface Pool {
  /** The outcome; undefined if the function is throttled. */
  invoke(requestId: string, event: string, invoker?: Invoker): Promise<Outcome | undefined>;
  /** The number of environments. */
  size(): number;
  /** Whether there is no environment and no event. */
  isUnused(): boolean;
  stop(): Promise<void>;
}

/**
 * The execution environments of one function. Each handles one event at a time. The most recently used one is
 * preferred, so that the others become idle and end.
 */
export const openPool = (options: PoolOptions): Pool => {
  const { capacity, clock, reservedConcurrency, idleLimit } = options;
  const { patience = interval, most = Number.POSITIVE_INFINITY, yields = false } = options;
  const idle: { environment: Environment; since: number }[] = [];
  /** Each with the time of its start, by `performance.now()`. */
  const all = new Map<Environment, number>();
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
      if (mustYield(one)) end(one);
      else if (all.has(one)) idle.push({ environment: one, since: clock.now() });
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

  const end = (one: Environment): void => {
    remove(one);
    void one.stop();
  };

  /** Whether the environment has to make room for another pool. */
  const mustYield = (one: Environment): boolean => {
    const since = all.get(one);
    if (!yields || since === undefined || !capacity.isWanted(member)) return false;
    return all.size > capacity.share() || performance.now() - since >= slice;
  };

  const open = (): void => {
    starting++;
    capacity.starting.count++;
    const opened = options.open({
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
    all.set(opened, performance.now());
  };

  /** Starts another environment when the oldest event has waited long enough, and checks again while any wait. */
  const grow = (): void => {
    waiting.expire((late) => late.finish(undefined));
    const { count, since } = waiting.ready();
    if (count === 0 || stopped) {
      capacity.want(member, false);
      return;
    }
    const due = all.size === 0 || performance.now() - since >= patience;
    const mayStart = starting < count && capacity.starting.count < capacity.starting.limit;
    if (all.size >= most) capacity.want(member, false);
    else if (due && mayStart) {
      // Idle environments of this function could not be used by the waiting events, so ending one for another would be
      // useless.
      const taken = capacity.take(idle.length === 0, member);
      capacity.want(member, yields && !taken);
      if (taken) open();
    }
    growing ??= setTimeout(() => {
      growing = undefined;
      grow();
    }, interval);
  };

  const endIdle = (): void => {
    const entry = idle.shift();
    if (entry === undefined) return;
    end(entry.environment);
  };

  const member: CapacityMember = { size: () => all.size, idleSince: () => idle[0]?.since, endIdle };
  capacity.join(member);
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
    isUnused: () => all.size === 0 && working === 0 && waiting.length() === 0,
    stop: async () => {
      stopped = true;
      cancelReaping();
      clearTimeout(growing);
      capacity.leave(member);
      await Promise.all([...all.keys()].map((one) => one.stop()));
      all.clear();
    },
  };
};
