import { rmSync } from "node:fs";
import { join } from "node:path";
import { readIndex } from "../index/specification.ts";
import type { Doc } from "../values/document.ts";
import { withOwnBytes } from "../values/encoding.ts";
import { readInt32 } from "../values/reader.ts";
import { Binary } from "../values/types.ts";
import { buildIndex, type Collection, type Database, newCollection, setOptions } from "./catalog.ts";
import { openJournal, replay } from "./journal.ts";
import { decodeOperations } from "./operations.ts";

interface Loading {
  readonly collection: Collection;
  readonly specs: Map<string, Doc>;
}

export function loadDatabase(
  name: string,
  path: string,
  commits: ReadonlySet<number>,
  log: (line: string) => void,
): { database: Database; highest: number } {
  rmSync(join(path, "journal.new"), { force: true });
  const database: Database = { name, collections: new Map(), journal: openJournal(join(path, "journal")) };
  const loading = new Map<number, Loading>();
  let highest = 0;
  replay(
    database.journal,
    (payload) =>
      decodeOperations(payload, {
        put: (id, rid, doc) => void loading.get(id)?.collection.records.set(rid, withOwnBytes(doc)),
        remove: (id, rid) => void loading.get(id)?.collection.records.delete(rid),
        catalog(change) {
          highest = Math.max(highest, Number(change.get("id")));
          applyChange(database, loading, withOwnBytes(change));
        },
        commit: (number) => commits.has(number),
      }),
    log,
  );
  // Indexes are built once at the end, which is much cheaper than updating them with every change.
  for (const { collection, specs } of loading.values()) {
    for (const [rid, doc] of collection.records) {
      collection.bytes += readInt32(doc.buf as Buffer, doc.off);
      if (rid >= collection.nextRid) collection.nextRid = rid + 1;
    }
    for (const spec of specs.values()) collection.indexes.push(readIndex(spec));
    for (const index of collection.indexes) buildIndex(collection, index);
    database.collections.set(collection.name, collection);
  }
  return { database, highest };
}

/** Applies a change of the catalog, as operations.ts encodes it. */
function applyChange(database: Database, loading: Map<number, Loading>, change: Doc): void {
  const id = Number(change.get("id"));
  const known = loading.get(id);
  const text = (field: string): string => String(change.get(field));
  switch (change.get("do")) {
    case "create": {
      const uuid = change.get("uuid");
      const collection = newCollection(
        database,
        id,
        text("name"),
        change.get("options") as Doc,
        Buffer.from(uuid instanceof Binary ? uuid.bytes : []),
      );
      loading.set(id, { collection, specs: new Map() });
      break;
    }
    case "drop":
      loading.delete(id);
      break;
    case "rename":
      if (known !== undefined) known.collection.name = text("name");
      break;
    case "options":
      if (known !== undefined) setOptions(known.collection, change.get("options") as Doc);
      break;
    case "index": {
      const spec = change.get("spec") as Doc;
      known?.specs.set(String(spec.get("name")), spec);
      break;
    }
    case "dropIndex":
      known?.specs.delete(text("name"));
      break;
    default:
      throw new Error(`unknown change of the catalog: ${text("do")}`);
  }
}
