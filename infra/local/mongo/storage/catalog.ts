import { MongoFault } from "../foundation/fault.ts";
import { type Index, type Key, keysOf } from "../index/index.ts";
import { readIndex } from "../index/specification.ts";
import { Doc } from "../values/document.ts";
import { readInt32 } from "../values/reader.ts";
import { type Maybe, millisecondsOf, UtcDate, type Value } from "../values/types.ts";
import type { Journal } from "./journal.ts";
import type { Transaction } from "./transaction-views.ts";
import { compileValidator, type Validator } from "./validator.ts";

export interface Collection {
  readonly id: number;
  readonly db: Database;
  name: string;
  options: Doc;
  validator: Validator | undefined;
  readonly uuid: Buffer;
  /** Stored documents by record number, in insertion order. */
  readonly records: Map<number, Doc>;
  nextRid: number;
  bytes: number;
  /** The first index is that of _id. */
  indexes: Index[];
  /** Earlier versions of records, kept while an open transaction may read them. */
  undo: { readonly time: number; readonly rid: number; readonly old: Doc | undefined }[];
  /** Records that open transactions have written. */
  readonly locks: Map<number, Transaction>;
  /** The open transaction that created the collection. */
  creator: Transaction | undefined;
}

export interface Database {
  readonly name: string;
  readonly collections: Map<string, Collection>;
  readonly journal: Journal;
}

export function newCollection(db: Database, id: number, name: string, options: Doc, uuid: Buffer): Collection {
  const collection: Collection = {
    id,
    db,
    name,
    options,
    uuid,
    validator: undefined,
    records: new Map(),
    nextRid: 1,
    bytes: 0,
    indexes: [],
    undo: [],
    locks: new Map(),
    creator: undefined,
  };
  collection.indexes.push(readIndex(Doc.from({ v: 2, key: Doc.from({ _id: 1 }), name: "_id_" })));
  setOptions(collection, options);
  return collection;
}

export function setOptions(collection: Collection, options: Doc): void {
  collection.options = options;
  const validator = options.get("validator");
  collection.validator = validator instanceof Doc && validator.size > 0 ? compileValidator(validator) : undefined;
}

export const namespaceOf = (collection: Collection): string => `${collection.db.name}.${collection.name}`;

const size = (doc: Doc): number => readInt32(doc.buf as Buffer, doc.off);

/** Stores a document under a record number. The caller has checked unique keys. */
export function applyPut(collection: Collection, rid: number, doc: Doc): void {
  const old = collection.records.get(rid);
  for (const index of collection.indexes) moveKeys(index, rid, old, doc);
  collection.records.set(rid, doc);
  collection.bytes += size(doc) - (old === undefined ? 0 : size(old));
  if (rid >= collection.nextRid) collection.nextRid = rid + 1;
}

export function applyRemove(collection: Collection, rid: number): void {
  const old = collection.records.get(rid);
  if (old === undefined) return;
  for (const index of collection.indexes) for (const key of keysOf(index, old)) index.list.remove(key, rid);
  collection.records.delete(rid);
  collection.bytes -= size(old);
}

function moveKeys(index: Index, rid: number, old: Doc | undefined, doc: Doc): void {
  const onArray = (component: number): void => {
    index.multikey[component] = true;
  };
  const after = keysOf(index, doc, onArray);
  if (old === undefined) {
    for (const key of after) index.list.insert(key, rid);
    return;
  }
  const before = keysOf(index, old);
  const isSame = (a: Key, b: Key): boolean => index.space.compare(a, b) === 0;
  if (before.length === 1 && after.length === 1 && isSame(before[0] as Key, after[0] as Key)) return;
  for (const key of before) if (!after.some((other) => isSame(key, other))) index.list.remove(key, rid);
  for (const key of after) if (!before.some((other) => isSame(key, other))) index.list.insert(key, rid);
}

/** Fills a new index from the stored documents. Raises DuplicateKey for a unique index with duplicates. */
export function buildIndex(collection: Collection, index: Index): void {
  const entries: { key: Key; rid: number }[] = [];
  for (const [rid, doc] of collection.records) {
    for (const key of keysOf(index, doc, (component) => {
      index.multikey[component] = true;
    }))
      entries.push({ key, rid });
  }
  index.list.load(entries);
  if (!index.unique) return;
  for (let i = 1; i < entries.length; i++) {
    const [a, b] = [entries[i - 1], entries[i]] as [{ key: Key; rid: number }, { key: Key; rid: number }];
    if (index.space.compare(a.key, b.key) !== 0 || a.rid === b.rid) continue;
    throw duplicateKey(collection, index, collection.records.get(b.rid) as Doc);
  }
}

export class DuplicateKeyFault extends MongoFault {
  readonly keyPattern: Doc;
  readonly keyValue: Doc;
  constructor(message: string, keyPattern: Doc, keyValue: Doc) {
    super("DuplicateKey", message);
    this.keyPattern = keyPattern;
    this.keyValue = keyValue;
  }
}

export function duplicateKey(collection: Collection, index: Index, doc: Doc, key?: Key): DuplicateKeyFault {
  const values = keyValues(index, doc, key);
  const keyValue = Doc.of(
    index.components.map(({ path }) => path),
    values,
  );
  const shown = index.components.map(({ path }, i) => `${path}: ${show(values[i])}`).join(", ");
  return new DuplicateKeyFault(
    `E11000 duplicate key error collection: ${namespaceOf(collection)} index: ${index.name} dup key: { ${shown} }`,
    index.spec.get("key") as Doc,
    keyValue,
  );
}

/** The values of one key of a document. The array element is found by trying each. */
function keyValues(index: Index, doc: Doc, key: Key | undefined): Value[] {
  const options = index.components.map(({ parts }) => {
    let found: Maybe = doc;
    for (const part of parts) found = found instanceof Doc ? found.get(part) : undefined;
    return Array.isArray(found) ? found : [found ?? null];
  });
  const plain = options.map((list) => list[0] ?? null);
  if (key === undefined) return plain;
  for (let i = 0; i < options.length; i++) {
    for (const value of options[i] as Value[]) {
      const tried = plain.with(i, value);
      if (index.space.compare(index.space.key(tried), key) === 0) return tried;
    }
  }
  return plain;
}

function show(value: Maybe): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (value instanceof Doc) return `{ ${value.keys.map((name, i) => `${name}: ${show(value.values[i])}`).join(", ")} }`;
  if (Array.isArray(value)) return `[ ${value.map(show).join(", ")} ]`;
  if (value !== null && typeof value === "object" && "raw" in value)
    return `ObjectId('${Buffer.from(value.raw, "latin1").toString("hex")}')`;
  if (value instanceof UtcDate) return `new Date(${millisecondsOf(value)})`;
  if (value !== null && typeof value === "object" && "value" in value) return String(value.value);
  return String(value);
}

export function sizesOf(collection: Collection): {
  count: number;
  size: bigint;
  avgObjSize: number | undefined;
  nindexes: number;
} {
  const count = collection.records.size;
  return {
    count,
    size: BigInt(collection.bytes),
    avgObjSize: count === 0 ? undefined : Math.round(collection.bytes / count),
    nindexes: collection.indexes.length,
  };
}
