import { randomBytes } from "node:crypto";
import { type CommandContext, record } from "../execution/context.ts";
import { MongoFault } from "../foundation/fault.ts";
import { holderOf, type Index, type Key, keysOf } from "../index/index.ts";
import { applyPut, applyRemove, type Collection, duplicateKey } from "../storage/catalog.ts";
import { changedSince, type Transaction } from "../storage/transaction-views.ts";
import {
  bufferWrite,
  checkWritable,
  keepVersion,
  LockedByTransaction,
  writeConflict,
} from "../storage/transactions.ts";
import { withIdFirst } from "../update/update.ts";
import { Doc } from "../values/document.ts";
import { documentSize, withOwnBytes } from "../values/encoding.ts";
import { maxDocumentSize, tooLarge } from "../values/limits.ts";
import { skipValue } from "../values/reader.ts";
import { type Maybe, ObjectId, Regex, Timestamp } from "../values/types.ts";

const processPart = randomBytes(5);
let counter = randomBytes(3).readUIntBE(0, 3);

export function newObjectId(ms: number): ObjectId {
  const bytes = Buffer.allocUnsafe(12);
  bytes.writeUInt32BE(Math.floor(ms / 1000), 0);
  processPart.copy(bytes, 4);
  counter = (counter + 1) & 0xffffff;
  bytes.writeUIntBE(counter, 9, 3);
  return new ObjectId(bytes.latin1Slice());
}

let lastSecond = 0;
let ordinal = 0;

/** A counter distinguishes timestamps of the same second. */
export function newTimestamp(ms: number): Timestamp {
  const second = Math.floor(ms / 1000);
  ordinal = second === lastSecond ? ordinal + 1 : 1;
  lastSecond = second;
  return new Timestamp((BigInt(second) << 32n) | BigInt(ordinal));
}

export function checkId(id: Maybe): void {
  if (Array.isArray(id)) throw new MongoFault("InvalidIdField", "The '_id' value cannot be of type array");
  if (id instanceof Regex) throw new MongoFault("InvalidIdField", "The '_id' value cannot be of type regex");
  if (id instanceof Doc)
    for (const key of id.keys)
      if (key.startsWith("$"))
        throw new MongoFault(
          "DollarPrefixedFieldName",
          `_id fields may not contain '$'-prefixed fields: ${key} is not valid for storage.`,
        );
}

/** The document to store, with the _id as its first field. */
function prepared(doc: Doc, ms: number): Doc {
  const id = doc.get("_id");
  checkId(id);
  if (id !== undefined) {
    const stored = withOwnBytes(doc);
    if (isFirst(stored) && !hasTimestamp(stored)) return stored;
  }
  if (documentSize(doc) > maxDocumentSize) throw tooLarge(documentSize(doc));
  const complete = withZeroTimestamps(doc, ms);
  if (id === undefined) return withOwnBytes(withIdFirst(newObjectId(ms), complete));
  return withOwnBytes(isFirst(complete) ? complete : withIdFirst(id, complete.without("_id")));
}

const isFirst = (doc: Doc): boolean =>
  doc.buf === undefined ? doc.keys[0] === "_id" : doc.buf.latin1Slice(doc.off + 5, doc.off + 9) === "_id\0";

function hasTimestamp(stored: Doc): boolean {
  const buf = stored.buf as Buffer;
  const end = stored.off + documentSize(stored) - 1;
  for (let at = stored.off + 4; at < end; ) {
    const type = buf[at] as number;
    if (type === 17) return true;
    at = skipValue(buf, type, buf.indexOf(0, at + 1) + 1);
  }
  return false;
}

/**
 * An empty timestamp at the top level means "now": https://www.mongodb.com/docs/manual/reference/bson-types/#timestamps
 */
function withZeroTimestamps(doc: Doc, ms: number): Doc {
  let result = doc;
  doc.keys.forEach((key, i) => {
    const value = doc.values[i];
    if (key !== "_id" && value instanceof Timestamp && value.value === 0n) result = result.with(key, newTimestamp(ms));
  });
  return result;
}

/** At the level "moderate" a document that was invalid before may stay invalid. */
function checkValid({ now }: CommandContext, { validator, options }: Collection, doc: Doc, old: Doc | undefined): void {
  if (validator === undefined || validator(doc, now)) return;
  const level = options.get("validationLevel");
  if (options.get("validationAction") === "warn" || level === "off") return;
  if (level === "moderate" && old !== undefined && !validator(old, now)) return;
  throw new MongoFault("DocumentValidationFailure", "Document failed validation");
}

/** Raises an error if another record has one of the unique keys: DuplicateKey, WriteConflict or LockedByTransaction. */
function checkUnique(context: CommandContext, collection: Collection, rid: number, doc: Doc): void {
  for (const index of collection.indexes) {
    if (!index.unique) continue;
    for (const key of keysOf(index, doc)) {
      if (isTaken(context.transaction, collection, index, key, rid)) throw duplicateKey(collection, index, doc, key);
    }
  }
}

function isTaken(
  transaction: Transaction | undefined,
  collection: Collection,
  index: Index,
  key: Key,
  rid: number,
): boolean {
  if (index.pending.size > 0) {
    const pending = holderOf(index, index.pending, key, rid);
    if (pending >= 0 && isOwn(transaction, collection, pending)) return true;
  }
  const holder = holderOf(index, index.list, key, rid);
  // A record that the transaction itself has changed counts only with its pending keys.
  if (holder < 0 || isOwn(transaction, collection, holder)) return false;
  if (transaction !== undefined && changedSince(transaction, collection, holder)) throw writeConflict();
  return true;
}

/** Whether the transaction has written the record. Raises an error if another transaction has. */
function isOwn(transaction: Transaction | undefined, collection: Collection, rid: number): boolean {
  const owner = collection.locks.get(rid);
  if (owner === undefined) return false;
  if (owner === transaction) return true;
  throw transaction === undefined ? new LockedByTransaction(owner) : writeConflict();
}

export function insert(context: CommandContext, collection: Collection, doc: Doc, bypass = false): void {
  const stored = prepared(doc, context.engine.clock());
  if (!bypass) checkValid(context, collection, stored, undefined);
  const rid = collection.nextRid;
  checkUnique(context, collection, rid, stored);
  // Arrays that cannot be indexed together raise an error before anything changes.
  for (const index of collection.indexes) if (!index.unique && index.components.length > 1) keysOf(index, stored);
  collection.nextRid++;
  write(context, collection, rid, stored);
}

/** Others may have dropped the collection while a statement had yielded. */
function checkThere(collection: Collection): void {
  if (collection.db.collections.get(collection.name) !== collection)
    throw new MongoFault("QueryPlanKilled", `collection dropped: ${collection.db.name}.${collection.name}`);
}

function write(context: CommandContext, collection: Collection, rid: number, stored: Doc): void {
  const { transaction, engine } = context;
  checkThere(collection);
  if (transaction !== undefined) {
    bufferWrite(transaction, collection, rid, stored);
    return;
  }
  keepVersion(engine.timeline, collection, rid);
  applyPut(collection, rid, stored);
  record(context, collection.db, { kind: "put", collection: collection.id, rid, doc: stored });
}

/** Raises an error if a transaction has locked the record, before the new value is computed. */
export function checkRecordWritable({ transaction }: CommandContext, collection: Collection, rid: number): void {
  if (transaction !== undefined) checkWritable(transaction, collection, rid);
  else isOwn(undefined, collection, rid);
}

/** The old and the new version of a record. */
export interface Change {
  readonly rid: number;
  readonly old: Doc;
  readonly next: Doc;
}

export function replace(
  context: CommandContext,
  collection: Collection,
  { rid, old, next }: Change,
  bypass: boolean,
): Doc {
  const stored = withOwnBytes(next);
  if (!bypass) checkValid(context, collection, stored, old);
  checkUnique(context, collection, rid, stored);
  for (const index of collection.indexes) if (!index.unique && index.components.length > 1) keysOf(index, stored);
  write(context, collection, rid, stored);
  return stored;
}

export function remove(context: CommandContext, collection: Collection, rid: number): void {
  const { transaction, engine } = context;
  checkThere(collection);
  if (transaction !== undefined) {
    bufferWrite(transaction, collection, rid, null);
    return;
  }
  keepVersion(engine.timeline, collection, rid);
  applyRemove(collection, rid);
  record(context, collection.db, { kind: "remove", collection: collection.id, rid });
}
