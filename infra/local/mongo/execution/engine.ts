import type { Store } from "../storage/store.ts";
import type { Transaction } from "../storage/transaction-views.ts";
import type { Timeline } from "../storage/transactions.ts";
import type { Doc } from "../values/document.ts";
import type { Cursors } from "./cursors.ts";
import type { Scheduler } from "./scheduler.ts";

export interface Engine {
  readonly store: Store;
  readonly timeline: Timeline;
  readonly sessions: Map<string, Session>;
  readonly cursors: Cursors;
  readonly scheduler: Scheduler;
  readonly clock: () => number;
  readonly started: number;
  readonly opcounters: Record<"insert" | "query" | "update" | "delete" | "getmore" | "command", number>;
  connections: number;
}

/** A logical session of a client. Its id is valid on every connection. */
export interface Session {
  transaction: Transaction | undefined;
  /** The running command of its transaction. The next one waits for it. */
  running: Promise<unknown> | undefined;
  transactionNumber: bigint;
  /** Replies to retryable writes by transaction number. A retry gets the same reply. */
  readonly answers: Map<bigint, Doc | Promise<Doc>>;
  /** The number of the last committed transaction. Committing it again succeeds. */
  committed: bigint;
  lastUsed: number;
}

export const newSession = (time: number): Session => ({
  transaction: undefined,
  running: undefined,
  transactionNumber: -1n,
  answers: new Map(),
  committed: -1n,
  lastUsed: time,
});

export const sessionTimeout = 30 * 60_000;
export const transactionTimeout = 60_000;
