import type { MongoFault } from "../foundation/fault.ts";
import type { Routine } from "../foundation/routine.ts";
import type { Doc } from "../values/document.ts";

/** A command as the turns see it. */
export interface Task {
  readonly db: string;
  readonly deadline: number;
  /** It has changed nothing, so that it may begin anew. */
  readonly startsOver: boolean;
  begin(): Doc | Routine<Doc>;
  /** Makes lasting what was done, and the reply out of it. */
  finish(reply: Doc): Doc;
  /** Called before other commands are let in: makes lasting what was done so far. */
  leave(): void;
  /** Why it must not go on, if it must not. */
  obstacle(): MongoFault | undefined;
}

export interface Job {
  readonly task: Task;
  readonly resolve: (reply: Doc) => void;
  readonly reject: (error: unknown) => void;
  routine: Routine<Doc> | undefined;
  memory: { used: number };
}

/** The commands of one database. */
export interface Lane {
  /** Not begun. */
  readonly fresh: Job[];
  /** Begun, and in the middle of their work. */
  readonly paused: Job[];
  /** Reads that took more than their first slice while others were under way: they begin anew. */
  readonly postponed: Job[];
  underWay: number;
}

/** Where a job waits for its turn, or what it waits for before. */
export type Place = "fresh" | "paused" | "postponed" | Promise<void>;

export const newLane = (): Lane => ({ fresh: [], paused: [], postponed: [], underWay: 0 });

/** Commands of one database that are in the middle of their work: each may hold what it has read. */
const underWayLimit = 4;

export const hasPlace = (lane: Lane): boolean => lane.underWay < underWayLimit;

export const hasWork = (lane: Lane): boolean =>
  lane.fresh.length > 0 || lane.paused.length > 0 || (lane.postponed.length > 0 && hasPlace(lane));

/** Nothing waits here, not even for a transaction. */
export const isIdle = (lane: Lane): boolean =>
  lane.fresh.length + lane.paused.length + lane.postponed.length + lane.underWay === 0;

/** Those that nobody waits for any more make room before it is their turn. */
export function dropHopeless(lane: Lane): void {
  for (const list of [lane.fresh, lane.postponed]) {
    for (let i = list.length - 1; i >= 0; i--) {
      const job = list[i] as Job;
      const obstacle = job.task.obstacle();
      if (obstacle === undefined) continue;
      list.splice(i, 1);
      job.reject(obstacle);
    }
  }
}

/** Ends a job in the middle of its work. What it has done so far stays. */
export function interrupt({ task, routine, reject }: Job, fault: MongoFault): void {
  try {
    routine?.throw(fault);
  } catch {
    // It has cleaned up behind itself and passes the fault on.
  }
  task.leave();
  reject(fault);
}
