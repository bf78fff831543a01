import type { Coroutine } from "../foundation/coroutine.ts";
import type { MongoFault } from "../foundation/fault.ts";
import type { Doc } from "../values/document.ts";

/** A command as the turns see it. */
export interface Task {
  readonly db: string;
  readonly deadline: number;
  /** It has changed nothing, so that it may begin anew. */
  readonly isRestartable: boolean;
  begin(): Doc | Coroutine<Doc>;
  /** Makes lasting what was done, and the reply out of it. */
  finish(reply: Doc): Doc;
  /** Called before other commands are let in: makes lasting what was done so far. */
  beforeYield(): void;
  /** Why it must not go on, if it must not. */
  reasonToStop(): MongoFault | undefined;
}

export interface Job {
  readonly task: Task;
  readonly resolve: (reply: Doc) => void;
  readonly reject: (error: unknown) => void;
  coroutine: Coroutine<Doc> | undefined;
  memory: { used: number };
}

/** The commands of one database. */
export interface CommandQueue {
  /** Not begun. */
  readonly notStarted: Job[];
  /** Begun, and in the middle of their work. */
  readonly yielded: Job[];
  /** Reads that took more than their first slice while others were under way: they begin anew. */
  readonly toRestart: Job[];
  started: number;
}

/** Where a job waits for its turn, or what it waits for before. */
export type Destination = "notStarted" | "yielded" | "toRestart" | Promise<void>;

export const newQueue = (): CommandQueue => ({ notStarted: [], yielded: [], toRestart: [], started: 0 });

/** Commands of one database that are in the middle of their work: each may hold what it has read. */
const startedLimit = 4;

export const hasCapacity = (queue: CommandQueue): boolean => queue.started < startedLimit;

export const hasWork = (queue: CommandQueue): boolean =>
  queue.notStarted.length > 0 || queue.yielded.length > 0 || (queue.toRestart.length > 0 && hasCapacity(queue));

/** Nothing waits here, not even for a transaction. */
export const isIdle = (queue: CommandQueue): boolean =>
  queue.notStarted.length + queue.yielded.length + queue.toRestart.length + queue.started === 0;

/** Those that nobody waits for any more make room before it is their turn. */
export function rejectUnservable(queue: CommandQueue): void {
  for (const list of [queue.notStarted, queue.toRestart]) {
    for (let i = list.length - 1; i >= 0; i--) {
      const job = list[i] as Job;
      const reasonToStop = job.task.reasonToStop();
      if (reasonToStop === undefined) continue;
      list.splice(i, 1);
      job.reject(reasonToStop);
    }
  }
}

/** Ends a job in the middle of its work. What it has done so far stays. */
export function interrupt({ task, coroutine, reject }: Job, fault: MongoFault): void {
  try {
    coroutine?.throw(fault);
  } catch {
    // It has cleaned up behind itself and passes the fault on.
  }
  task.beforeYield();
  reject(fault);
}
