import type { Coroutine } from "../foundation/coroutine.ts";
import type { Database } from "../storage/catalog.ts";
import type { Operation } from "../storage/operations.ts";
import { persist } from "../storage/store.ts";
import type { Transaction } from "../storage/transaction-views.ts";
import type { Doc } from "../values/document.ts";
import type { Engine, Session } from "./engine.ts";

/** What one command runs with. */
export interface CommandContext {
  readonly engine: Engine;
  readonly command: Doc;
  readonly db: string;
  readonly transaction: Transaction | undefined;
  readonly session: Session | undefined;
  readonly deadline: number;
  /** The time of the command: the value of $$NOW. */
  readonly now: number;
  /** Changes that are not yet in the journals. They are written before the command yields and before it is answered. */
  readonly changes: Map<Database, Operation[]>;
}

export function record(context: CommandContext, database: Database, operation: Operation): void {
  const list = context.changes.get(database);
  if (list === undefined) context.changes.set(database, [operation]);
  else list.push(operation);
}

/** Writes the recorded changes to the journals. Called before other commands run, and at the end. */
export function flush(context: CommandContext, durable = false): void {
  if (context.changes.size === 0) return;
  const { changes } = context;
  persist(context.engine.store, changes, durable);
  changes.clear();
}

/** A command returns its reply, or a coroutine that yields to other commands. */
export type Command = (context: CommandContext) => Doc | Coroutine<Doc>;
