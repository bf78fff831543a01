import { randomBytes } from "node:crypto";
import type { Collation } from "./collation.ts";
import type { Cursors } from "./cursors.ts";
import { type Context, type Frame, newScope, type Scope } from "./expressions/compile.ts";
import { MongoFault } from "./fault.ts";
import type { FilterContext } from "./match/matcher.ts";
import type { Session } from "./sessions.ts";
import { type Collection, type Database, newCollection } from "./storage/catalog.ts";
import { created } from "./storage/changes.ts";
import type { Operation } from "./storage/operations.ts";
import { databaseNamed, persist, type Store } from "./storage/store.ts";
import { type Overlay, overlayOf, type Transaction } from "./transaction-views.ts";
import { HeldByTransaction, type Timeline, transient, writeConflict } from "./transactions.ts";
import type { Turns } from "./turns.ts";
import { Doc } from "./values/document.ts";
import { UtcDate } from "./values/types.ts";

export interface Engine {
  readonly store: Store;
  readonly timeline: Timeline;
  readonly sessions: Map<string, Session>;
  readonly cursors: Cursors;
  readonly turns: Turns;
  readonly clock: () => number;
  readonly started: number;
  readonly opcounters: Record<"insert" | "query" | "update" | "delete" | "getmore" | "command", number>;
  connections: number;
}

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

export interface Evaluation extends FilterContext {
  readonly scope: Scope;
  readonly frame: Frame;
}

/** The scope that the expressions of a command share: the time, the collation and the variables of `let`. */
export function evaluation(operating: Operating, collation: Collation | undefined): Evaluation {
  const context: Context = { now: new UtcDate(operating.now), order: collation?.order };
  return { scope: newScope(context), frame: [] };
}

/** A collection as this command may see it; undefined where there is none. */
export function findCollection(operating: Operating, db: string, name: string): Collection | undefined {
  const { transaction, engine } = operating;
  if (transaction !== undefined) {
    const gone = engine.timeline.gone.get(`${db}.${name}`);
    if (gone !== undefined && gone > transaction.snapshot) {
      throw new MongoFault(
        246,
        `Unable to read from a snapshot due to pending collection catalog changes on '${db}.${name}'; please retry the operation.`,
        transient,
      );
    }
  }
  const collection = engine.store.databases.get(db)?.collections.get(name);
  if (collection?.creator !== undefined && collection.creator !== transaction) return undefined;
  return collection;
}

export function overlayFor(operating: Operating, collection: Collection): Overlay | undefined {
  return operating.transaction === undefined ? undefined : overlayOf(operating.transaction, collection);
}

export function checkName(db: string, name: string): void {
  if (name === "") throw new MongoFault(73, "Invalid namespace specified: collection name is empty");
  if (name.includes("$") || name.includes("\0") || name.startsWith(".") || name.endsWith("."))
    throw new MongoFault(73, `Invalid namespace specified: '${db}.${name}'`);
  if (Buffer.byteLength(db) + Buffer.byteLength(name) > 254)
    throw new MongoFault(73, `Fully qualified namespace is too long: ${db}.${name}`);
  if (db === "" || /[/\\. "$*<>:|?\0]/.test(db) || Buffer.byteLength(db) > 63)
    throw new MongoFault(73, `Invalid database name: '${db}'`);
}

/** The collection to write to, made on first use. */
export function ensureCollection(operating: Operating, db: string, name: string, options = Doc.empty): Collection {
  checkName(db, name);
  const { engine, transaction } = operating;
  const existing = engine.store.databases.get(db)?.collections.get(name);
  if (existing !== undefined) {
    if (existing.creator !== undefined && existing.creator !== transaction) {
      if (transaction !== undefined) throw writeConflict();
      throw new HeldByTransaction(existing.creator);
    }
    findCollection(operating, db, name);
    if (existing.options.has("viewOn"))
      throw new MongoFault(166, `Namespace ${db}.${name} is a view, not a collection`);
    return existing;
  }
  const database = databaseNamed(engine.store, db);
  const collection = newCollection(database, engine.store.nextCollection++, name, options, randomUuid());
  database.collections.set(name, collection);
  if (transaction === undefined) record(operating, database, created(collection));
  else {
    collection.creator = transaction;
    transaction.created.push(collection);
  }
  return collection;
}

function randomUuid(): Buffer {
  const bytes = randomBytes(16);
  bytes[6] = ((bytes[6] as number) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80;
  return bytes;
}

/** A change of a collection itself waits for the transactions that wrote to it. */
export function checkUnlocked(collection: Collection): void {
  if (collection.creator !== undefined) throw new HeldByTransaction(collection.creator);
  for (const holder of collection.locks.values()) throw new HeldByTransaction(holder);
}
