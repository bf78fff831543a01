import { MongoFault } from "../foundation/fault.ts";
import { beginSlice, endSlice, now, Postponed } from "../foundation/pace.ts";
import type { Routine } from "../foundation/routine.ts";
import { ended, HeldByTransaction } from "../storage/transactions.ts";
import { Doc } from "../values/document.ts";
import {
  dropHopeless,
  hasPlace,
  hasWork,
  interrupt,
  isIdle,
  type Job,
  type Lane,
  newLane,
  type Place,
  type Task,
} from "./lanes.ts";

const sliceMilliseconds = 8;
const firstSliceBesideOthers = 2;
/** Milliseconds in one turn of the event loop for commands that arrive; the rest is for those under way. */
const arrivalsMilliseconds = 10;

const shuttingDown = (): MongoFault => new MongoFault("InterruptedAtShutdown", "interrupted at shutdown");

/**
 * Lets commands take turns. A new command gets a slice at once and is mostly done in it; what is not done is continued in
 * turns of the event loop, one database after the other, and within a database one command after the other
 * (docs/decisions/0018).
 */
export class Turns {
  readonly #lanes = new Map<string, Lane>();
  #arrivalsTook = 0;
  #isScheduled = false;
  #isClosed = false;

  run(task: Task): Doc | Promise<Doc> {
    if (this.#arrivalsTook >= arrivalsMilliseconds) return this.#promise(task, undefined, "fresh");
    const start = now();
    const lane = this.#lanes.get(task.db);
    const length = lane === undefined ? sliceMilliseconds : firstSliceBesideOthers;
    const memory = { used: 0 };
    let routine: Routine<Doc> | undefined;
    try {
      this.#slice(task, start + length, lane, memory);
      const begun = task.begin();
      if (begun instanceof Doc) return task.finish(begun);
      routine = begun;
      const step = routine.next();
      if (step.done === true) return task.finish(step.value);
      task.leave();
      return this.#promise(task, routine, step.value ?? "paused", memory);
    } catch (error) {
      if (error instanceof Postponed) return this.#promise(task, undefined, "postponed");
      task.leave();
      if (!(error instanceof HeldByTransaction)) throw error;
      return this.#promise(task, undefined, ended(error.holder));
    } finally {
      endSlice();
      this.#count(now() - start);
    }
  }

  /** Ends what is under way. What was acknowledged is written, and so is what was done so far. */
  close(): void {
    this.#isClosed = true;
    for (const lane of this.#lanes.values())
      for (const job of [...lane.fresh, ...lane.paused, ...lane.postponed]) {
        interrupt(job, shuttingDown());
      }
    this.#lanes.clear();
  }

  #slice(task: Task, until: number, lane: Lane | undefined, memory: { used: number }): void {
    const startsOver = task.startsOver && lane !== undefined && !hasPlace(lane);
    beginSlice({ until, deadline: task.deadline, startsOver, memory, isOver: false });
  }

  #count(took: number): void {
    if (took < 0.5) return;
    this.#arrivalsTook += took;
    this.#schedule();
  }

  #promise(task: Task, routine: Routine<Doc> | undefined, where: Place, memory = { used: 0 }): Promise<Doc> {
    return new Promise((resolve, reject) => {
      if (routine !== undefined) this.#lane(task.db).underWay++;
      this.#put({ task, resolve, reject, routine, memory }, where);
    });
  }

  #lane(db: string): Lane {
    let lane = this.#lanes.get(db);
    if (lane === undefined) {
      lane = newLane();
      this.#lanes.set(db, lane);
    }
    return lane;
  }

  #put(job: Job, where: Place): void {
    if (where instanceof Promise) {
      void where.then(() => {
        if (this.#isClosed) interrupt(job, shuttingDown());
        else this.#put(job, "paused");
      });
      return;
    }
    this.#lane(job.task.db)[where].push(job);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled || this.#isClosed) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#arrivalsTook = 0;
      this.#turn();
    });
  }

  /** One database gets a slice, then the event loop gets round to sockets, timers and signals. */
  #turn(): void {
    for (const [db, lane] of [...this.#lanes]) {
      this.#lanes.delete(db);
      if (isIdle(lane)) continue;
      this.#lanes.set(db, lane);
      if (!hasWork(lane)) continue;
      // Before it is served: whatever becomes of this turn, there will be another.
      this.#schedule();
      this.#serve(lane);
      return;
    }
  }

  #serve(lane: Lane): void {
    const until = now() + sliceMilliseconds;
    dropHopeless(lane);
    while (lane.fresh.length > 0 && now() < until - firstSliceBesideOthers)
      this.#advance(lane.fresh.shift() as Job, lane, now() + firstSliceBesideOthers);
    if (now() > until - 1) return;
    const next = (hasPlace(lane) ? lane.postponed.shift() : undefined) ?? lane.paused.shift();
    if (next !== undefined) this.#advance(next, lane, until);
  }

  #advance(job: Job, lane: Lane, until: number): void {
    const { task } = job;
    const wasUnderWay = job.routine !== undefined;
    lane.underWay -= wasUnderWay ? 1 : 0;
    try {
      const obstacle = task.obstacle();
      if (obstacle !== undefined) {
        interrupt(job, obstacle);
        return;
      }
      if (job.routine === undefined) job.memory = { used: 0 };
      this.#slice(task, until, lane, job.memory);
      const begun = job.routine ?? task.begin();
      if (begun instanceof Doc) {
        job.resolve(task.finish(begun));
        return;
      }
      job.routine = begun;
      const step = begun.next();
      if (step.done === true) {
        job.resolve(task.finish(step.value));
        return;
      }
      task.leave();
      lane.underWay++;
      this.#put(job, step.value ?? "paused");
    } catch (error) {
      if (error instanceof Postponed) {
        job.routine = undefined;
        this.#put(job, "postponed");
      } else if (error instanceof HeldByTransaction) {
        job.routine = undefined;
        task.leave();
        this.#put(job, ended(error.holder));
      } else {
        task.leave();
        job.reject(error);
      }
    } finally {
      endSlice();
    }
  }
}
