import { performance } from "node:perf_hooks";
import { MongoFault } from "./fault.ts";

/**
 * Work is counted in steps of some 25 ns: an operand evaluated, an element visited, a few characters read. Every few
 * thousand of them the clock is asked, so that counting costs next to nothing.
 */
const stepsBetweenLooks = 2_000;
const stepsOfDocument = 8;

/** What may be done between two documents, where a command cannot pause: some 100 ms on an ordinary machine. */
export const stepLimit = 4_000_000;

/** The time that a command has until it gives way. */
export interface Slice {
  readonly until: number;
  readonly deadline: number;
  isOver: boolean;
}

const endless: Slice = { until: Number.POSITIVE_INFINITY, deadline: Number.POSITIVE_INFINITY, isOver: false };

let slice = endless;
let stepsToLook = stepsBetweenLooks;
let stepsDone = 0;

export const now = (): number => performance.now();

export function beginSlice(next: Slice): void {
  slice = next;
  stepsToLook = stepsBetweenLooks;
  stepsDone = 0;
}

/** From here on nothing has to give way: what runs was started by a timer of the server itself. */
export function endSlice(): void {
  beginSlice(endless);
}

export const timeIsUp = (): MongoFault => new MongoFault(50, "operation exceeded time limit");

function look(): void {
  stepsToLook = stepsBetweenLooks;
  const time = now();
  if (time > slice.deadline) throw timeIsUp();
  if (time > slice.until) slice.isOver = true;
}

/** Counts work that cannot pause. Too much of it for one document is refused. */
export function charge(steps: number): void {
  stepsDone += steps;
  if (stepsDone > stepLimit)
    throw new MongoFault(
      146,
      `The embedded database does at most ${stepLimit} steps of work for one document, and this command needs more`,
    );
  stepsToLook -= steps;
  if (stepsToLook < 0) look();
}

/** To be asked between two documents: whether the command has to give way before it goes on. */
export function mustPause(): boolean {
  stepsDone = 0;
  stepsToLook -= stepsOfDocument;
  if (stepsToLook < 0) look();
  return slice.isOver;
}
