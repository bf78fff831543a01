/** Whoever it is that sends events; those without a name are one caller. */
type Caller = string | undefined;

export interface Waiting {
  readonly caller: Caller;
  /** Of the event. */
  readonly bytes: number;
  /** When it came, and when nobody waits for its outcome any more; both on the clock of `performance.now()`. */
  readonly since: number;
  readonly until: number;
}

interface Limits {
  /** Events of one caller that may be worked on at the same time; the rest of them wait. */
  readonly share: number;
  readonly longest: number;
  readonly largest: number;
}

/**
 * The events that wait for an environment of one function. Callers take turns, and none has more than its share at work: one
 * that sends five hundred at once waits for itself. Unnamed events have no share.
 */
export const fairQueue = <Job extends Waiting>({ share, longest, largest }: Limits) => {
  const waiting = new Map<Caller, { readonly jobs: Job[]; bytes: number }>();
  const working = new Map<Caller, number>();
  let length = 0;

  const room = (caller: Caller): number =>
    caller === undefined ? Number.POSITIVE_INFINITY : share - (working.get(caller) ?? 0);

  const take = (caller: Caller): Job | undefined => {
    const line = waiting.get(caller);
    const job = line?.jobs.shift();
    if (line === undefined || job === undefined) return undefined;
    length--;
    line.bytes -= job.bytes;
    // To the end of the order, if more wait.
    waiting.delete(caller);
    if (line.jobs.length > 0) waiting.set(caller, line);
    return job;
  };

  return {
    /** Whether an event of the caller may begin now. */
    mayStart: (caller: Caller): boolean => room(caller) > 0,
    started: (caller: Caller): void => void working.set(caller, (working.get(caller) ?? 0) + 1),
    finished: (caller: Caller): void => {
      const left = (working.get(caller) ?? 1) - 1;
      if (left > 0) working.set(caller, left);
      else working.delete(caller);
    },
    /** False when the caller has too many waiting already. */
    push: (job: Job): boolean => {
      const line = waiting.get(job.caller) ?? { jobs: [], bytes: 0 };
      if (line.jobs.length >= longest || line.bytes + job.bytes > largest) return false;
      line.jobs.push(job);
      line.bytes += job.bytes;
      waiting.set(job.caller, line);
      length++;
      return true;
    },
    /** The next event whose caller may begin one. `drop` gets those that nobody waits for any more. */
    next: (drop: (job: Job) => void): Job | undefined => {
      const now = performance.now();
      for (const caller of [...waiting.keys()]) {
        if (room(caller) <= 0) continue;
        for (let job = take(caller); job !== undefined; job = take(caller)) {
          if (job.until > now) return job;
          drop(job);
        }
      }
      return undefined;
    },
    length: (): number => length,
    /** How many of those that wait could begin at once, and since when the first of them waits. */
    ready: (): { readonly count: number; readonly since: number } => {
      let count = 0;
      let since = Number.POSITIVE_INFINITY;
      for (const [caller, { jobs }] of waiting) {
        const able = Math.min(jobs.length, room(caller));
        if (able <= 0) continue;
        count += able;
        since = Math.min(since, jobs[0]?.since ?? since);
      }
      return { count, since };
    },
  };
};
