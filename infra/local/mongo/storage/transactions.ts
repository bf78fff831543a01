import { MongoFault } from "../foundation/fault.ts";
import { type Key, keysOf } from "../index/index.ts";
import type { Doc } from "../values/document.ts";
import { applyPut, applyRemove, type Collection, type Database } from "./catalog.ts";
import { created, type Operation } from "./operations.ts";
import { persist, type Store } from "./store.ts";
import { type Transaction, viewOf } from "./transaction-views.ts";

/** A logical clock: every change gets the next number. */
export interface Timeline {
  readonly store: Store;
  now: number;
  readonly open: Set<Transaction>;
  /** Collections that keep earlier versions. */
  readonly versioned: Set<Collection>;
  /** When a namespace was last dropped or renamed. Snapshots from before cannot read it. */
  readonly droppedAt: Map<string, number>;
}

export const newTimeline = (store: Store): Timeline => ({
  store,
  now: 1,
  open: new Set(),
  versioned: new Set(),
  droppedAt: new Map(),
});

/**
 * A write outside of transactions met a record that a transaction has locked. It is retried when that transaction ends.
 */
export class LockedByTransaction extends Error {
  readonly holder: Transaction;
  constructor(holder: Transaction) {
    super("held by a transaction");
    this.holder = holder;
  }
}

export const transient = ["TransientTransactionError"];

export const writeConflict = (): MongoFault =>
  new MongoFault(
    "WriteConflict",
    "Write conflict during plan execution and yielding is disabled. Please retry your operation or multi-document transaction.",
    transient,
  );

export function begin(timeline: Timeline, time: number): Transaction {
  const transaction: Transaction = {
    snapshot: timeline.now,
    parts: new Map(),
    created: [],
    state: "open",
    lastUsed: time,
    waiting: [],
  };
  timeline.open.add(transaction);
  return transaction;
}

/** Keeps the version that a change is about to replace, if an open transaction may read it. */
export function keepVersion(timeline: Timeline, collection: Collection, rid: number): void {
  timeline.now++;
  if (timeline.open.size === 0) return;
  collection.undo.push({ time: timeline.now, rid, old: collection.records.get(rid) });
  timeline.versioned.add(collection);
}

/** Raises WriteConflict if another transaction has changed the record since the snapshot, or has locked it. */
export function checkWritable(transaction: Transaction, collection: Collection, rid: number): void {
  const part = viewOf(transaction, collection);
  const holder = collection.locks.get(rid);
  if (part.before.has(rid) || (holder !== undefined && holder !== transaction)) throw writeConflict();
}

/** Buffers a write (null: a removal) in the transaction. The caller has checked records and unique keys. */
export function bufferWrite(transaction: Transaction, collection: Collection, rid: number, doc: Doc | null): void {
  const part = viewOf(transaction, collection);
  const old = part.writes.get(rid);
  for (const index of collection.indexes) {
    if (!index.unique) continue;
    if (old) for (const key of keysOf(index, old)) index.pending.remove(key, rid);
    if (doc) for (const key of keysOf(index, doc)) index.pending.insert(key, rid);
  }
  part.writes.set(rid, doc);
  part.merged = undefined;
  collection.locks.set(rid, transaction);
}

export function commit(timeline: Timeline, transaction: Transaction, durable: boolean): void {
  const operations = new Map<Database, Operation[]>();
  const of = (collection: Collection): Operation[] => {
    let list = operations.get(collection.db);
    if (list === undefined) {
      list = [];
      operations.set(collection.db, list);
    }
    return list;
  };
  for (const collection of transaction.created) of(collection).push(created(collection));
  for (const [collection, { writes }] of transaction.parts) {
    for (const [rid, doc] of writes) {
      if (doc !== null) of(collection).push({ kind: "put", collection: collection.id, rid, doc });
      else if (collection.records.has(rid)) of(collection).push({ kind: "remove", collection: collection.id, rid });
    }
  }
  persist(timeline.store, operations, durable);
  timeline.open.delete(transaction);
  for (const collection of transaction.created) collection.creator = undefined;
  for (const [collection, { writes }] of transaction.parts) {
    for (const [rid, doc] of writes) {
      keepVersion(timeline, collection, rid);
      if (doc === null) applyRemove(collection, rid);
      else applyPut(collection, rid, doc);
    }
  }
  finish(timeline, transaction, "committed");
}

export function abort(timeline: Timeline, transaction: Transaction): void {
  if (transaction.state !== "open") return;
  timeline.open.delete(transaction);
  for (const collection of transaction.created) collection.db.collections.delete(collection.name);
  finish(timeline, transaction, "aborted");
}

function finish(timeline: Timeline, transaction: Transaction, state: "committed" | "aborted"): void {
  transaction.state = state;
  for (const [collection, { writes }] of transaction.parts) {
    for (const [rid, doc] of writes) {
      collection.locks.delete(rid);
      if (doc !== null)
        for (const index of collection.indexes) if (index.unique) releaseKeys(index.pending, keysOf(index, doc), rid);
    }
  }
  transaction.parts.clear();
  forgetVersions(timeline);
  for (const resume of transaction.waiting.splice(0)) resume();
}

function releaseKeys(list: { remove(key: Key, rid: number): void }, keys: readonly Key[], rid: number): void {
  for (const key of keys) list.remove(key, rid);
}

function forgetVersions(timeline: Timeline): void {
  let oldest = Number.POSITIVE_INFINITY;
  for (const { snapshot } of timeline.open) oldest = Math.min(oldest, snapshot);
  for (const collection of timeline.versioned) {
    collection.undo = collection.undo.filter(({ time }) => time > oldest);
    if (collection.undo.length === 0) timeline.versioned.delete(collection);
  }
  if (timeline.open.size === 0) timeline.droppedAt.clear();
}

/** Resolves when the transaction has committed or aborted. */
export const transactionEnded = (transaction: Transaction): Promise<void> =>
  transaction.state === "open" ? new Promise((resolve) => transaction.waiting.push(resolve)) : Promise.resolve();
