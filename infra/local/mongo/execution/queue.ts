import type { Coroutine } from "../foundation/coroutine.ts";
import type { MongoFault } from "../foundation/fault.ts";
import type { Doc } from "../values/document.ts";

/** A command as the scheduler runs it. */
export interface Task {
  readonly db: string;
  readonly deadline: number;
  /** It only reads, so it may be restarted. */
  readonly isRestartable: boolean;
  begin(): Doc | Coroutine<Doc>;
  /** Writes the changes to the journals, and completes the reply. */
  finish(reply: Doc): Doc;
  /** Called before other commands run: writes the changes to the journals. */
  beforeYield(): void;
  /** The error with which it must end, if it must: client gone, time limit, transaction over. */
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
  /** Arrived, not started. */
  readonly notStarted: Job[];
  /** Started, and ready to continue. */
  readonly yielded: Job[];
  /** Reads that used their first slice while too many commands had started. They restart from the beginning. */
  readonly toRestart: Job[];
  started: number;
}

/** The list that a job waits in, or a promise that it waits for first. */
export type Destination = "notStarted" | "yielded" | "toRestart" | Promise<void>;

export const newQueue = (): CommandQueue => ({ notStarted: [], yielded: [], toRestart: [], started: 0 });

/** Started commands of one database: each may hold what it has read in memory. */
const startedLimit = 4;

export const hasCapacity = (queue: CommandQueue): boolean => queue.started < startedLimit;

export const hasWork = (queue: CommandQueue): boolean =>
  queue.notStarted.length > 0 || queue.yielded.length > 0 || (queue.toRestart.length > 0 && hasCapacity(queue));

/** Whether no command is waiting or started. */
export const isIdle = (queue: CommandQueue): boolean =>
  queue.notStarted.length + queue.yielded.length + queue.toRestart.length + queue.started === 0;

/** Rejects waiting commands that must end, for example since their client is gone. */
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

/** Ends a started job. Its changes so far remain. */
export function interrupt({ task, coroutine, reject }: Job, fault: MongoFault): void {
  try {
    coroutine?.throw(fault);
  } catch {
    // The coroutine has cleaned up and throws the fault again.
  }
  task.beforeYield();
  reject(fault);
}
