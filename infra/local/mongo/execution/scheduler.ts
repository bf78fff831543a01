import { beginSlice, endSlice, now, Postponed } from "../foundation/budget.ts";
import type { Coroutine } from "../foundation/coroutine.ts";
import { MongoFault } from "../foundation/fault.ts";
import { LockedByTransaction, transactionEnded } from "../storage/transactions.ts";
import { Doc } from "../values/document.ts";
import {
  type CommandQueue,
  type Destination,
  hasCapacity,
  hasWork,
  interrupt,
  isIdle,
  type Job,
  newQueue,
  rejectUnservable,
  type Task,
} from "./queue.ts";

const sliceMilliseconds = 8;
const firstSliceBesideOthers = 2;
/** Milliseconds per turn of the event loop for arriving commands. The rest is for started ones. */
const arrivalsMilliseconds = 10;

const shuttingDown = (): MongoFault => new MongoFault("InterruptedAtShutdown", "interrupted at shutdown");

/**
 * Schedules commands on one thread (docs/decisions/0018). A new command gets a time slice immediately and usually ends
 * in it. Others continue in later turns of the event loop, round-robin by database, and within a database round-robin
 * by command.
 */
export class Scheduler {
  readonly #queues = new Map<string, CommandQueue>();
  #arrivalsTook = 0;
  #isScheduled = false;
  #isClosed = false;

  run(task: Task): Doc | Promise<Doc> {
    if (this.#arrivalsTook >= arrivalsMilliseconds) return this.#promise(task, undefined, "notStarted");
    const start = now();
    const queue = this.#queues.get(task.db);
    const length = queue === undefined ? sliceMilliseconds : firstSliceBesideOthers;
    const memory = { used: 0 };
    let coroutine: Coroutine<Doc> | undefined;
    try {
      this.#slice(task, start + length, queue, memory);
      const begun = task.begin();
      if (begun instanceof Doc) return task.finish(begun);
      coroutine = begun;
      const step = coroutine.next();
      if (step.done === true) return task.finish(step.value);
      task.beforeYield();
      return this.#promise(task, coroutine, step.value ?? "yielded", memory);
    } catch (error) {
      if (error instanceof Postponed) return this.#promise(task, undefined, "toRestart");
      task.beforeYield();
      if (!(error instanceof LockedByTransaction)) throw error;
      return this.#promise(task, undefined, transactionEnded(error.holder));
    } finally {
      endSlice();
      this.#countArrival(now() - start);
    }
  }

  /** Ends all commands. Their changes so far are written. */
  close(): void {
    this.#isClosed = true;
    for (const queue of this.#queues.values())
      for (const job of [...queue.notStarted, ...queue.yielded, ...queue.toRestart]) {
        interrupt(job, shuttingDown());
      }
    this.#queues.clear();
  }

  #slice(task: Task, until: number, queue: CommandQueue | undefined, memory: { used: number }): void {
    const mustRestart = task.isRestartable && queue !== undefined && !hasCapacity(queue);
    beginSlice({ until, deadline: task.deadline, mustRestart, memory, isOver: false });
  }

  #countArrival(took: number): void {
    if (took < 0.5) return;
    this.#arrivalsTook += took;
    this.#schedule();
  }

  #promise(task: Task, coroutine: Coroutine<Doc> | undefined, where: Destination, memory = { used: 0 }): Promise<Doc> {
    return new Promise((resolve, reject) => {
      if (coroutine !== undefined) this.#queue(task.db).started++;
      this.#enqueue({ task, resolve, reject, coroutine, memory }, where);
    });
  }

  #queue(db: string): CommandQueue {
    let queue = this.#queues.get(db);
    if (queue === undefined) {
      queue = newQueue();
      this.#queues.set(db, queue);
    }
    return queue;
  }

  #enqueue(job: Job, where: Destination): void {
    if (where instanceof Promise) {
      void where.then(() => {
        if (this.#isClosed) interrupt(job, shuttingDown());
        else this.#enqueue(job, "yielded");
      });
      return;
    }
    this.#queue(job.task.db)[where].push(job);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled || this.#isClosed) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#arrivalsTook = 0;
      this.#runSlice();
    });
  }

  /** One database gets a slice. Then the event loop handles sockets, timers and signals. */
  #runSlice(): void {
    for (const [db, queue] of [...this.#queues]) {
      this.#queues.delete(db);
      if (isIdle(queue)) continue;
      this.#queues.set(db, queue);
      if (!hasWork(queue)) continue;
      // Scheduled first, so that an error in this turn does not stop the next one.
      this.#schedule();
      this.#serve(queue);
      return;
    }
  }

  #serve(queue: CommandQueue): void {
    const until = now() + sliceMilliseconds;
    rejectUnservable(queue);
    while (queue.notStarted.length > 0 && now() < until - firstSliceBesideOthers)
      this.#advance(queue.notStarted.shift() as Job, queue, now() + firstSliceBesideOthers);
    if (now() > until - 1) return;
    const next = (hasCapacity(queue) ? queue.toRestart.shift() : undefined) ?? queue.yielded.shift();
    if (next !== undefined) this.#advance(next, queue, until);
  }

  #advance(job: Job, queue: CommandQueue, until: number): void {
    const { task } = job;
    const wasStarted = job.coroutine !== undefined;
    queue.started -= wasStarted ? 1 : 0;
    try {
      const reasonToStop = task.reasonToStop();
      if (reasonToStop !== undefined) {
        interrupt(job, reasonToStop);
        return;
      }
      if (job.coroutine === undefined) job.memory = { used: 0 };
      this.#slice(task, until, queue, job.memory);
      const begun = job.coroutine ?? task.begin();
      if (begun instanceof Doc) {
        job.resolve(task.finish(begun));
        return;
      }
      job.coroutine = begun;
      const step = begun.next();
      if (step.done === true) {
        job.resolve(task.finish(step.value));
        return;
      }
      task.beforeYield();
      queue.started++;
      this.#enqueue(job, step.value ?? "yielded");
    } catch (error) {
      if (error instanceof Postponed) {
        job.coroutine = undefined;
        this.#enqueue(job, "toRestart");
      } else if (error instanceof LockedByTransaction) {
        job.coroutine = undefined;
        task.beforeYield();
        this.#enqueue(job, transactionEnded(error.holder));
      } else {
        task.beforeYield();
        job.reject(error);
      }
    } finally {
      endSlice();
    }
  }
}
