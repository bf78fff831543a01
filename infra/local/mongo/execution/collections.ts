import { randomBytes } from "node:crypto";
import { MongoFault } from "../foundation/fault.ts";
import { type Collection, namespaceOf, newCollection } from "../storage/catalog.ts";
import { created, droppedCollection, renamed } from "../storage/operations.ts";
import { databaseNamed } from "../storage/store.ts";
import { type Overlay, overlayOf } from "../storage/transaction-views.ts";
import { LockedByTransaction, transient, writeConflict } from "../storage/transactions.ts";
import { Doc } from "../values/document.ts";
import { type CommandContext, record } from "./context.ts";

/** The collection that the command sees under a name, if there is one. */
export function findCollection(context: CommandContext, db: string, name: string): Collection | undefined {
  const { transaction, engine } = context;
  if (transaction !== undefined) {
    const droppedAt = engine.timeline.droppedAt.get(`${db}.${name}`);
    if (droppedAt !== undefined && droppedAt > transaction.snapshot) {
      throw new MongoFault(
        "SnapshotUnavailable",
        `Unable to read from a snapshot due to pending collection catalog changes on '${db}.${name}'; please retry the operation.`,
        transient,
      );
    }
  }
  const collection = engine.store.databases.get(db)?.collections.get(name);
  if (collection?.creator !== undefined && collection.creator !== transaction) return undefined;
  return collection;
}

export function overlayFor(context: CommandContext, collection: Collection): Overlay | undefined {
  return context.transaction === undefined ? undefined : overlayOf(context.transaction, collection);
}

export function checkName(db: string, name: string): void {
  if (name === "") throw new MongoFault("InvalidNamespace", "Invalid namespace specified: collection name is empty");
  if (name.includes("$") || name.includes("\0") || name.startsWith(".") || name.endsWith("."))
    throw new MongoFault("InvalidNamespace", `Invalid namespace specified: '${db}.${name}'`);
  if (Buffer.byteLength(db) + Buffer.byteLength(name) > 254)
    throw new MongoFault("InvalidNamespace", `Fully qualified namespace is too long: ${db}.${name}`);
  if (db === "" || /[/\\. "$*<>:|?\0]/.test(db) || Buffer.byteLength(db) > 63)
    throw new MongoFault("InvalidNamespace", `Invalid database name: '${db}'`);
}

/** The collection to write to. It is created if it does not exist. */
export function ensureCollection(context: CommandContext, db: string, name: string, options = Doc.empty): Collection {
  checkName(db, name);
  const { engine, transaction } = context;
  const existing = engine.store.databases.get(db)?.collections.get(name);
  if (existing !== undefined) {
    if (existing.creator !== undefined && existing.creator !== transaction) {
      if (transaction !== undefined) throw writeConflict();
      throw new LockedByTransaction(existing.creator);
    }
    findCollection(context, db, name);
    if (existing.options.has("viewOn"))
      throw new MongoFault("CommandNotSupportedOnView", `Namespace ${db}.${name} is a view, not a collection`);
    return existing;
  }
  const database = databaseNamed(engine.store, db);
  const collection = newCollection(database, engine.store.nextCollection++, name, options, randomUuid());
  database.collections.set(name, collection);
  if (transaction === undefined) record(context, database, created(collection));
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

/** Changes of a collection itself wait for the transactions that have written to it. */
export function checkUnlocked(collection: Collection): void {
  if (collection.creator !== undefined) throw new LockedByTransaction(collection.creator);
  for (const holder of collection.locks.values()) throw new LockedByTransaction(holder);
}

/** Removes a collection from the catalog. */
export function dropCollection(context: CommandContext, collection: Collection): void {
  checkUnlocked(collection);
  const { timeline } = context.engine;
  timeline.now++;
  if (timeline.open.size > 0) timeline.droppedAt.set(namespaceOf(collection), timeline.now);
  collection.db.collections.delete(collection.name);
  record(context, collection.db, droppedCollection(collection));
}

export function moveCollection(context: CommandContext, collection: Collection, name: string): void {
  const { timeline } = context.engine;
  timeline.now++;
  if (timeline.open.size > 0) {
    timeline.droppedAt.set(namespaceOf(collection), timeline.now);
    timeline.droppedAt.set(`${collection.db.name}.${name}`, timeline.now);
  }
  collection.db.collections.delete(collection.name);
  collection.name = name;
  collection.db.collections.set(name, collection);
  record(context, collection.db, renamed(collection));
}
