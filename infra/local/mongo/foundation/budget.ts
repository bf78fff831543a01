import { performance } from "node:perf_hooks";
import { MongoFault } from "./fault.ts";

/**
 * The budget of a command: time until it yields, work on one document, memory. Work is counted in steps of about 25 ns:
 * an operand evaluated, an element visited, a few characters read. The clock is read only every few thousand steps, so
 * that counting costs very little.
 */
const stepsBetweenClockChecks = 2_000;
const stepsOfDocument = 8;

/** Steps between two documents, where a command cannot yield: about 100 ms on an ordinary machine. */
const stepLimit = 4_000_000;

/** What a command may use until it yields. */
export interface TimeSlice {
  readonly until: number;
  readonly deadline: number;
  /** Too many commands of the database have started: instead of yielding the command ends, and is restarted later. */
  readonly mustRestart: boolean;
  /** Bytes that the command holds, stored documents not counted. */
  readonly memory: { used: number };
  isOver: boolean;
}

const never = Number.POSITIVE_INFINITY;
const endless: TimeSlice = { until: never, deadline: never, mustRestart: false, memory: { used: 0 }, isOver: false };

/** Ends a read that has used its first slice and will be restarted later. */
export class Postponed extends Error {}

let slice = endless;
let stepsToClockCheck = stepsBetweenClockChecks;
let stepsDone = 0;

export const now = (): number => performance.now();

export function beginSlice(next: TimeSlice): void {
  slice = next;
  stepsToClockCheck = stepsBetweenClockChecks;
  stepsDone = 0;
}

/** Called when no command runs: work that the server's own timers start never yields. */
export function endSlice(): void {
  beginSlice(endless);
}

export const timeLimitExceeded = (): MongoFault => new MongoFault("MaxTimeMSExpired", "operation exceeded time limit");

function checkClock(): void {
  stepsToClockCheck = stepsBetweenClockChecks;
  const time = now();
  if (time > slice.deadline) throw timeLimitExceeded();
  if (time > slice.until) slice.isOver = true;
}

/** Counts work that cannot yield. Too much of it for one document is refused. */
export function countWork(steps: number): void {
  stepsDone += steps;
  if (stepsDone > stepLimit)
    throw new MongoFault(
      "ExceededMemoryLimit",
      `The embedded database does at most ${stepLimit} steps of work for one document, and this command needs more`,
    );
  stepsToClockCheck -= steps;
  if (stepsToClockCheck < 0) checkClock();
}

/** Bytes of documents that a command made itself, and of entries that it sorts or groups by. */
const memoryLimit = 256 * 1024 * 1024;

/** Counts memory that a command keeps until it ends. */
export function countMemory(bytes: number): void {
  const { memory } = slice;
  memory.used += bytes;
  if (memory.used > memoryLimit && slice !== endless)
    throw new MongoFault(
      "QueryExceededMemoryLimitNoDiskUseAllowed",
      `The command needs more than ${memoryLimit} bytes of memory. The embedded database does not sort or group on disk.`,
    );
}

let partsCompiled = 0;

/** Called for each compiled part of a filter or an expression. */
export function countCompiledPart(parts = 1): void {
  partsCompiled += parts;
}

/** The compiled result, and the steps that one run takes at least: one for each compiled part. */
export function compileWithCost<T>(compile: () => T): [T, number] {
  const before = partsCompiled;
  const compiled = compile();
  return [compiled, partsCompiled - before];
}

/** Asked between two documents: whether the command has to yield before it continues. */
export function shouldYield(): boolean {
  stepsDone = 0;
  stepsToClockCheck -= stepsOfDocument;
  if (stepsToClockCheck < 0) checkClock();
  if (slice.isOver && slice.mustRestart) throw new Postponed();
  return slice.isOver;
}
