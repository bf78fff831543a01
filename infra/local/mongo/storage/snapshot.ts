import { readInt32 } from "../values/reader.ts";
import type { Collection, Database } from "./catalog.ts";
import { frame } from "./frames.ts";
import { replace } from "./journal.ts";
import { created, encodeOperations, indexed, type Operation } from "./operations.ts";

const frameBytes = 1024 * 1024;
const tolerated = 32 * 1024 * 1024;

const liveBytes = (database: Database): number => {
  let bytes = 0;
  for (const collection of database.collections.values())
    bytes += collection.bytes + 20 * collection.records.size + 1024;
  return bytes;
};

/** Rewriting a small journal saves little. A large one is rewritten when more than half of it is garbage. */
export const needsCompaction = (database: Database): boolean =>
  database.journal.size > tolerated && database.journal.size > 2 * liveBytes(database);

/** Replaces the journal by a snapshot of the current state. */
export function compact(database: Database): void {
  replace(database.journal, (append) => {
    for (const collection of database.collections.values()) {
      if (collection.creator === undefined) writeCollection(collection, append);
    }
  });
}

function writeCollection(collection: Collection, append: (bytes: Buffer) => void): void {
  let operations: Operation[] = [
    created(collection),
    ...collection.indexes.slice(1).map((index) => indexed(collection, index.spec)),
  ];
  let bytes = 0;
  const flush = (): void => {
    append(frame([encodeOperations(operations)]));
    operations = [];
    bytes = 0;
  };
  for (const [rid, doc] of collection.records) {
    operations.push({ kind: "put", collection: collection.id, rid, doc });
    bytes += readInt32(doc.buf as Buffer, doc.off);
    if (bytes > frameBytes) flush();
  }
  if (operations.length > 0) flush();
}
