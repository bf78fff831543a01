import type { ExecutionError as RunnerError } from "#contracts/runner";
import type { WriteScope } from "#shared/data/records/records";

/** What invoked an execution. */
export type Place = "api" | "trigger" | "automation" | "schedule" | "function" | "replay" | "public" | "local";

/** The execution that started another one. */
export interface ParentExecution {
  readonly id: string;
  /** The execution at the start of the chain. It counts the calls of all. */
  readonly root: string;
  /** Of a root: 1. */
  readonly depth: number;
  /** The names from the root to this execution. */
  readonly path: readonly string[];
  /** Whether its writes wait for the transaction of the record that set off a trigger. */
  readonly buffered: boolean;
  /** Of a sync trigger, and of what it starts: the write that it belongs to. */
  readonly write?: WriteScope;
}

/** The executions before one that a message starts, when none of them runs any more. */
export type Chain = Pick<ParentExecution, "depth" | "path">;

export interface Origin {
  readonly place: Place;
  /** Milliseconds since the epoch. The execution has ended by then. */
  readonly deadline: number;
  readonly parent?: ParentExecution;
  /** Of what a message starts. */
  readonly chain?: Chain;
}

/** `interrupted`: whoever ran it is gone. `cancelled`: an automation that waited was deactivated. */
export type ExecutionError = Omit<RunnerError, "kind"> & {
  readonly kind: RunnerError["kind"] | "interrupted" | "cancelled";
  /** Of an automation: the node at which it ended. */
  readonly node?: string;
};

export interface Outcome {
  readonly execution_id: string;
  readonly status: "completed" | "failed";
  readonly output: unknown;
  readonly error?: ExecutionError;
}
