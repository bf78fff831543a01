import type { Routine } from "../foundation/routine.ts";
import type { Database } from "../storage/catalog.ts";
import type { Operation } from "../storage/operations.ts";
import { persist } from "../storage/store.ts";
import type { Transaction } from "../storage/transaction-views.ts";
import type { Doc } from "../values/document.ts";
import type { Engine } from "./engine.ts";
import type { Session } from "./sessions.ts";

/** One command in execution. */
export interface Operating {
  readonly engine: Engine;
  readonly command: Doc;
  readonly db: string;
  readonly transaction: Transaction | undefined;
  readonly session: Session | undefined;
  readonly deadline: number;
  /** The time of the command: $$NOW is the same in all of it. */
  readonly now: number;
  /** What the command changed, written to the journals before it is answered. */
  readonly changes: Map<Database, Operation[]>;
}

export function record(operating: Operating, database: Database, operation: Operation): void {
  const list = operating.changes.get(database);
  if (list === undefined) operating.changes.set(database, [operation]);
  else list.push(operation);
}

/** Writes what was recorded so far. Called before anything that lets other commands in, and at the end. */
export function flush(operating: Operating, durable = false): void {
  if (operating.changes.size === 0) return;
  const { changes } = operating;
  persist(operating.engine.store, changes, durable);
  changes.clear();
}

/** A command answers at once, or takes turns with others. */
export type Command = (operating: Operating) => Doc | Routine<Doc>;
