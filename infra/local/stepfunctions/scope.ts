import type { Clock } from "../clock.ts";
import type { Entry, Journal, NewEntry } from "./journal.ts";

/** What a Lambda task asks for: the filled Parameters of `lambda:invoke`. */
export interface TaskCall {
  readonly FunctionName?: unknown;
  readonly Payload?: unknown;
}

/** Where a state runs: the execution, a branch or an iteration. */
export interface Scope {
  readonly clock: Clock;
  readonly journal: Journal;
  /** The result of `lambda:invoke`. @throws StateError */
  readonly invoke: (call: TaskCall) => Promise<unknown>;
  /** Begins the keys of this scope's entries. */
  readonly prefix: string;
  readonly signal: AbortSignal;
  /** The context object, without State. */
  readonly context: Readonly<Record<string, unknown>>;
  /** The last event of this scope, which the next event names as the one before it. */
  last: number;
}

/** The entry of the key, which is added if the execution has not come so far before. */
export const once = (scope: Scope, entry: Omit<NewEntry, "previous">): Entry => {
  const found = scope.journal.find(entry.key) ?? scope.journal.add({ ...entry, previous: scope.last });
  if (found.event !== undefined) scope.last = found.event;
  return found;
};
