import type { Coroutine } from "../foundation/coroutine.ts";
import type { Database } from "../storage/catalog.ts";
import type { Operation } from "../storage/operations.ts";
import { persist } from "../storage/store.ts";
import type { Transaction } from "../storage/transaction-views.ts";
import type { Doc } from "../values/document.ts";
import type { Engine, Session } from "./engine.ts";

/** One command in execution. */
export interface CommandContext {
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

export function record(context: CommandContext, database: Database, operation: Operation): void {
  const list = context.changes.get(database);
  if (list === undefined) context.changes.set(database, [operation]);
  else list.push(operation);
}

/** Writes what was recorded so far. Called before anything that lets other commands in, and at the end. */
export function flush(context: CommandContext, durable = false): void {
  if (context.changes.size === 0) return;
  const { changes } = context;
  persist(context.engine.store, changes, durable);
  changes.clear();
}

/** A command answers at once, or takes turns with others. */
export type Command = (context: CommandContext) => Doc | Coroutine<Doc>;
