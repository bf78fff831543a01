import type { Clock } from "../clock.ts";
import { ServiceError } from "../sdk/call.ts";
import type { Queue } from "./queue.ts";

/** The default of messages a second, which is the maximum of AWS. */
const FASTEST = 500;
/** Tasks of a queue that ListMessageMoveTasks gives at most. */
const KEPT = 10;

interface MoveTask {
  readonly handle: string;
  readonly source: Queue;
  /** Undefined: the queue from which each message came. */
  readonly destination: Queue | undefined;
  readonly perSecond: number | undefined;
  readonly startedAt: number;
  readonly toMove: number;
  status: "RUNNING" | "COMPLETED" | "CANCELLED" | "FAILED";
  moved: number;
  failure?: string;
}

interface Options {
  readonly clock: Clock;
  readonly find: (arn: string) => Queue | undefined;
}

/** Tasks that move the messages of a dead-letter queue, back to where they came from by default. A stop ends them. */
export const moveTasks = ({ clock, find }: Options) => {
  const tasks: MoveTask[] = [];

  const moveSome = (task: MoveTask): void => {
    const most = task.perSecond ?? FASTEST;
    const { source, destination } = task;
    try {
      const moved = source.drain(most, (message) => {
        const target = destination ?? find(message.deadLetterSource ?? "");
        if (target === undefined) throw new Error("The source queue of a message does not exist.");
        target.move(message, source.settings.arn);
        task.moved += 1;
      });
      if (moved < most) task.status = "COMPLETED";
    } catch (error) {
      task.status = "FAILED";
      task.failure = error instanceof Error ? error.message : String(error);
    }
    if (task.status === "RUNNING") clock.after(1000, () => task.status === "RUNNING" && moveSome(task));
  };

  return {
    start: (source: Queue, destination: Queue | undefined, perSecond: number | undefined): string => {
      const handle = Buffer.from(`${source.settings.arn} ${tasks.length} ${clock.now()}`).toString("base64");
      if (tasks.some((task) => task.source === source && task.status === "RUNNING")) {
        throw new ServiceError("UnsupportedOperation", "There is already a task running on this queue.");
      }
      const toMove = source.counts().visible;
      const task: MoveTask = {
        handle,
        source,
        destination,
        perSecond,
        startedAt: clock.now(),
        toMove,
        status: "RUNNING",
        moved: 0,
      };
      tasks.unshift(task);
      moveSome(task);
      return handle;
    },
    /** The number of messages that were moved. */
    cancel: (handle: string): number => {
      const task = tasks.find((one) => one.handle === handle && one.status === "RUNNING");
      if (task === undefined) throw new ServiceError("ResourceNotFoundException", "There is no running task.", 404);
      task.status = "CANCELLED";
      return task.moved;
    },
    list: (source: Queue): readonly MoveTask[] => tasks.filter((task) => task.source === source).slice(0, KEPT),
    stop: (): void => {
      for (const task of tasks) if (task.status === "RUNNING") task.status = "CANCELLED";
    },
  };
};

export type MoveTasks = ReturnType<typeof moveTasks>;
