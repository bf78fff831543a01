import { shouldYield } from "./budget.ts";

/**
 * Work that can be interrupted and resumed. Where it yields undefined other commands run; where it yields a promise it
 * waits for that promise.
 */
export type Coroutine<T> = Generator<Promise<void> | undefined, T, void>;

/** What a source returns when its time slice is over. The caller yields and asks again. */
export const needYield = Symbol("pause");
export type NeedYield = typeof needYield;

/** Runs a coroutine that never yields. */
export function runWithoutYield<T>(work: Coroutine<T>): T {
  const step = work.next();
  if (step.done !== true) throw new Error("A coroutine that must not yield has yielded.");
  return step.value;
}

const shortRun = 1_024;

/** A stable merge sort that yields between runs. */
export function* sortYielding<T>(items: T[], compare: (a: T, b: T) => number): Coroutine<T[]> {
  if (items.length <= shortRun) return items.sort(compare);
  let runs: T[][] = [];
  for (let i = 0; i < items.length; i += shortRun) {
    if (shouldYield()) yield;
    runs.push(items.slice(i, i + shortRun).sort(compare));
  }
  while (runs.length > 1) {
    const merged: T[][] = [];
    for (let i = 0; i < runs.length; i += 2) {
      const [a, b] = [runs[i] as T[], runs[i + 1]];
      merged.push(b === undefined ? a : yield* merge(a, b, compare));
    }
    runs = merged;
  }
  return runs[0] as T[];
}

function* merge<T>(a: readonly T[], b: readonly T[], compare: (a: T, b: T) => number): Coroutine<T[]> {
  const state: MergeState<T> = { a, b, compare, i: 0, k: 0, merged: [] };
  while (!mergeUntilYield(state)) yield;
  const { merged } = state;
  for (let { i } = state; i < a.length; i++) merged.push(a[i] as T);
  for (let { k } = state; k < b.length; k++) merged.push(b[k] as T);
  return merged;
}

interface MergeState<T> {
  readonly a: readonly T[];
  readonly b: readonly T[];
  readonly compare: (a: T, b: T) => number;
  readonly merged: T[];
  i: number;
  k: number;
}

/** Merges until one side is used up, or until it has to yield: then it returns false. */
function mergeUntilYield<T>(state: MergeState<T>): boolean {
  const { a, b, compare, merged } = state;
  let { i, k } = state;
  let isDue = false;
  while (i < a.length && k < b.length && !isDue) {
    if (compare(a[i] as T, b[k] as T) <= 0) merged.push(a[i++] as T);
    else merged.push(b[k++] as T);
    isDue = shouldYield();
  }
  state.i = i;
  state.k = k;
  return i >= a.length || k >= b.length;
}
