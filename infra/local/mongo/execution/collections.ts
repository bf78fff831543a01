import { randomBytes } from "node:crypto";
import { MongoFault } from "../foundation/fault.ts";
import { type Collection, namespaceOf, newCollection } from "../storage/catalog.ts";
import { created, droppedCollection, renamed } from "../storage/changes.ts";
import { databaseNamed } from "../storage/store.ts";
import { type Overlay, overlayOf } from "../storage/transaction-views.ts";
import { HeldByTransaction, transient, writeConflict } from "../storage/transactions.ts";
import { Doc } from "../values/document.ts";
import { type Operating, record } from "./context.ts";

/** A collection as this command may see it; undefined where there is none. */
export function findCollection(operating: Operating, db: string, name: string): Collection | undefined {
  const { transaction, engine } = operating;
  if (transaction !== undefined) {
    const gone = engine.timeline.gone.get(`${db}.${name}`);
    if (gone !== undefined && gone > transaction.snapshot) {
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

export function overlayFor(operating: Operating, collection: Collection): Overlay | undefined {
  return operating.transaction === undefined ? undefined : overlayOf(operating.transaction, collection);
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
      throw new MongoFault("CommandNotSupportedOnView", `Namespace ${db}.${name} is a view, not a collection`);
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

/** Takes a collection out of the catalog. */
export function dropCollection(operating: Operating, collection: Collection): void {
  checkUnlocked(collection);
  const { timeline } = operating.engine;
  timeline.now++;
  if (timeline.open.size > 0) timeline.gone.set(namespaceOf(collection), timeline.now);
  collection.db.collections.delete(collection.name);
  record(operating, collection.db, droppedCollection(collection));
}

export function moveCollection(operating: Operating, collection: Collection, name: string): void {
  const { timeline } = operating.engine;
  timeline.now++;
  if (timeline.open.size > 0) {
    timeline.gone.set(namespaceOf(collection), timeline.now);
    timeline.gone.set(`${collection.db.name}.${name}`, timeline.now);
  }
  collection.db.collections.delete(collection.name);
  collection.name = name;
  collection.db.collections.set(name, collection);
  record(operating, collection.db, renamed(collection));
}
