/** The sender of an event. Events without a caller share one. */
type Caller = string | undefined;

export interface Waiting {
  readonly caller: Caller;
  /** Of the event. */
  readonly bytes: number;
  /** When it arrived, and when its client stops waiting; both by `performance.now()`. */
  readonly since: number;
  readonly until: number;
}

interface Limits {
  /** The maximum number of concurrent events of one caller. */
  readonly share: number;
  /** Callers with fewer running events than this may take the last free environment. */
  readonly modest: number;
  readonly longest: number;
  readonly largest: number;
}

/**
 * The queue of one function. Callers take turns, and each has a maximum of concurrent events, so that a caller with
 * five hundred events delays only itself and leaves an environment free for others. Events without a caller have no
 * maximum.
 */
export const fairQueue = <Job extends Waiting>({ share, modest, longest, largest }: Limits) => {
  const waiting = new Map<Caller, { readonly jobs: Job[]; bytes: number }>();
  const working = new Map<Caller, number>();
  let length = 0;

  const room = (caller: Caller): number =>
    caller === undefined ? Number.POSITIVE_INFINITY : share - (working.get(caller) ?? 0);

  const mayStart = (caller: Caller, free: number): boolean =>
    room(caller) > (free > 1 || caller === undefined ? 0 : share - modest);

  const take = (caller: Caller): Job | undefined => {
    const line = waiting.get(caller);
    const job = line?.jobs.shift();
    if (line === undefined || job === undefined) return undefined;
    length--;
    line.bytes -= job.bytes;
    // Moves the caller to the end of the order if more of its events wait.
    waiting.delete(caller);
    if (line.jobs.length > 0) waiting.set(caller, line);
    return job;
  };

  return {
    /** Whether an event of the caller may start now with so many free environments. */
    mayStart,
    started: (caller: Caller): void => void working.set(caller, (working.get(caller) ?? 0) + 1),
    finished: (caller: Caller): void => {
      const left = (working.get(caller) ?? 1) - 1;
      if (left > 0) working.set(caller, left);
      else working.delete(caller);
    },
    /** False if too many events of the caller wait already. */
    push: (job: Job): boolean => {
      const line = waiting.get(job.caller) ?? { jobs: [], bytes: 0 };
      if (line.jobs.length >= longest || line.bytes + job.bytes > largest) return false;
      line.jobs.push(job);
      line.bytes += job.bytes;
      waiting.set(job.caller, line);
      length++;
      return true;
    },
    /** The next event that may start. `drop` gets events whose clients have stopped waiting. */
    next: (free: number, drop: (job: Job) => void): Job | undefined => {
      const now = performance.now();
      for (const caller of [...waiting.keys()]) {
        if (!mayStart(caller, free)) continue;
        for (let job = take(caller); job !== undefined; job = take(caller)) {
          if (job.until > now) return job;
          drop(job);
        }
      }
      return undefined;
    },
    /** Takes the events whose clients have stopped waiting, if they are the first of their caller. */
    expire: (drop: (job: Job) => void): void => {
      const now = performance.now();
      for (const [caller, { jobs }] of [...waiting]) {
        while (jobs[0] !== undefined && jobs[0].until <= now) {
          const late = take(caller);
          if (late !== undefined) drop(late);
        }
      }
    },
    length: (): number => length,
    /**
     * How many more environments the waiting events could use, and since when the first of them waits. For callers with
     * many running events environments are started one after the other, because starts take processor time.
     */
    ready: (): { readonly count: number; readonly since: number } => {
      let count = 0;
      let since = Number.POSITIVE_INFINITY;
      for (const [caller, { jobs }] of waiting) {
        const left = room(caller);
        const able = Math.min(jobs.length, left, Math.max(left - (share - modest), 1));
        if (able <= 0) continue;
        count += able;
        since = Math.min(since, jobs[0]?.since ?? since);
      }
      return { count, since };
    },
  };
};
