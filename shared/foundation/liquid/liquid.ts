/**
 * Liquid, the language of templates, in a thread of its own: a template may be hostile, and none can be interrupted.
 */
import { Worker } from "node:worker_threads";
import {
  type LiquidAnswer,
  type LiquidIssue,
  type LiquidJob,
  liquidLimits,
  PARTS,
  type Parts,
  type Rendered,
} from "./job.ts";

export type { LiquidIssue, Missing, Part, Parts, Rendered } from "./job.ts";

/** A bundle has the thread beside its other files. */
const THREAD = new URL(import.meta.url.endsWith(".ts") ? "./liquid.thread.ts" : "./liquid.thread.mjs", import.meta.url);

interface Thread {
  /** Resolves when it is ready for a job. Rejects if it ends before. */
  readonly isReady: Promise<void>;
  /** Rejects if the thread ends: with ERR_WORKER_OUT_OF_MEMORY if it has used its memory. */
  run(job: LiquidJob): Promise<LiquidAnswer>;
  /** An idle thread does not keep the process alive. */
  rest(): void;
  end(): void;
}

let idle: Thread | undefined;
let last: Promise<unknown> = Promise.resolve();

const startThread = (): Thread => {
  const worker = new Worker(THREAD, {
    name: "liquid",
    env: {},
    argv: [],
    execArgv: ["--disable-warning=ExperimentalWarning"],
    resourceLimits: { maxOldGenerationSizeMb: liquidLimits.heap, maxYoungGenerationSizeMb: 16 },
  });
  const ready = Promise.withResolvers<void>();
  let job = Promise.withResolvers<LiquidAnswer>();
  // Nobody may be waiting for it.
  const fail = (error: unknown): void => {
    for (const { reject, promise } of [ready, job]) {
      reject(error);
      promise.catch(() => undefined);
    }
    if (idle === thread) idle = undefined;
  };
  worker.on("message", (message: "ready" | LiquidAnswer) =>
    message === "ready" ? ready.resolve() : job.resolve(message),
  );
  worker.on("error", fail);
  worker.on("exit", () => fail(new Error("The thread for templates has ended.")));
  const thread: Thread = {
    isReady: ready.promise,
    run: (given) => {
      job = Promise.withResolvers();
      worker.ref();
      worker.postMessage(given);
      return job.promise;
    },
    rest: () => worker.unref(),
    end: () => void worker.terminate(),
  };
  return thread;
};

const limitReached = ({ parts }: LiquidJob, message: string): LiquidAnswer => {
  const part = PARTS.findLast((name) => parts[name] !== undefined) ?? "text";
  return { issues: [{ part, line: 1, column: 1, message, type: "template_limit" }] };
};

/** The answer in time, or what is to be said of a thread that gives none. */
const answerOf = async (thread: Thread, job: LiquidJob): Promise<LiquidAnswer> => {
  const late = Promise.withResolvers<LiquidAnswer>();
  const timer = setTimeout(() => late.resolve(limitReached(job, "The template takes too long.")), liquidLimits.job);
  try {
    return await Promise.race([thread.run(job), late.promise]);
  } catch (error) {
    const isMemory = error instanceof Error && "code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY";
    if (isMemory) return limitReached(job, "The template takes too much memory.");
    throw error;
  } finally {
    clearTimeout(timer);
  }
};

const hasReachedLimit = (answer: LiquidAnswer): boolean =>
  "issues" in answer && answer.issues.some(({ type }) => type === "template_limit");

/** A thread that has met a limit is ended, whether it still runs or not; others wait for the next job. */
const runInThread = async (job: LiquidJob): Promise<LiquidAnswer> => {
  const thread = idle ?? startThread();
  idle = undefined;
  let isKept = false;
  try {
    await thread.isReady;
    const answer = await answerOf(thread, job);
    isKept = !hasReachedLimit(answer);
    return answer;
  } finally {
    if (isKept) {
      idle = thread;
      thread.rest();
    } else thread.end();
  }
};

/** One job at a time, so that a burst of them does not start as many threads. */
const inTurn = (job: LiquidJob): Promise<LiquidAnswer> => {
  const turn = last.then(() => runInThread(job));
  last = turn.catch(() => undefined);
  return turn;
};

/** The issues of templates that do not parse, with line and column. */
export const templateIssues = async (parts: Parts): Promise<readonly LiquidIssue[]> => {
  const answer = await inTurn({ parts });
  return "issues" in answer ? answer.issues : [];
};

/** Renders templates with JSON values. Styles of the HTML are written into its elements. */
export const renderLiquid = (
  parts: Parts,
  data: Readonly<Record<string, unknown>>,
): Promise<Rendered | { readonly issues: readonly LiquidIssue[] }> => inTurn({ parts, data });
