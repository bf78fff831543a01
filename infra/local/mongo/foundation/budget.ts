import { performance } from "node:perf_hooks";
import { MongoFault } from "./fault.ts";

/**
 * Work is counted in steps of some 25 ns: an operand evaluated, an element visited, a few characters read. Every few
 * thousand of them the clock is asked, so that counting costs next to nothing.
 */
const stepsBetweenClockChecks = 2_000;
const stepsOfDocument = 8;

/** What may be done between two documents, where a command cannot pause: some 100 ms on an ordinary machine. */
const stepLimit = 4_000_000;

/** The time that a command has until it gives way. */
export interface TimeSlice {
  readonly until: number;
  readonly deadline: number;
  /** The command has no place among those under way: instead of pausing it ends, and begins anew later. */
  readonly mustRestart: boolean;
  /** Bytes that the command holds beside what is stored. */
  readonly memory: { used: number };
  isOver: boolean;
}

const never = Number.POSITIVE_INFINITY;
const endless: TimeSlice = { until: never, deadline: never, mustRestart: false, memory: { used: 0 }, isOver: false };

/** Ends a read that has taken its first slice and shall begin anew when it is its turn. */
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

/** From here on nothing has to give way: what runs was started by a timer of the server itself. */
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

/** Counts work that cannot pause. Too much of it for one document is refused. */
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

/** What a command may hold of documents that it made itself, or of entries to sort and group by. */
const memoryLimit = 256 * 1024 * 1024;

/** Counts memory that a command keeps until it is done. */
export function countMemory(bytes: number): void {
  const { memory } = slice;
  memory.used += bytes;
  if (memory.used > memoryLimit && slice !== endless)
    throw new MongoFault(
      "QueryExceededMemoryLimitNoDiskUseAllowed",
      `The command needs more than ${memoryLimit} bytes of memory. The embedded database does not write to disk meanwhile.`,
    );
}

let partsCompiled = 0;

/** Told by whatever compiles a part of a filter or of an expression. */
export function countCompiledPart(parts = 1): void {
  partsCompiled += parts;
}

/** What is compiled, and the steps that running it once takes at least: one for each part. */
export function compileWithCost<T>(compile: () => T): [T, number] {
  const before = partsCompiled;
  const compiled = compile();
  return [compiled, partsCompiled - before];
}

/** To be asked between two documents: whether the command has to give way before it goes on. */
export function shouldYield(): boolean {
  stepsDone = 0;
  stepsToClockCheck -= stepsOfDocument;
  if (stepsToClockCheck < 0) checkClock();
  if (slice.isOver && slice.mustRestart) throw new Postponed();
  return slice.isOver;
}
