import { newOutput, type Output, reserve, writeInt32 } from "../values/byte-output.ts";
import { Doc } from "../values/document.ts";
import { checkDocument, readInt32 } from "../values/reader.ts";
import { Binary } from "../values/types.ts";
import { writeDocument } from "../values/writer.ts";
import type { Collection } from "./catalog.ts";

/** The operations in a frame of a database's journal. */
export type Operation =
  | { readonly kind: "put"; readonly collection: number; readonly rid: number; readonly doc: Doc }
  | { readonly kind: "remove"; readonly collection: number; readonly rid: number }
  /** A change of the catalog, described by a document. */
  | { readonly kind: "catalog"; readonly change: Doc }
  /** The frame is applied only if this commit number is in the list of commits (see store.ts). */
  | { readonly kind: "commit"; readonly number: number };

const codes = { put: 1, remove: 2, catalog: 3, commit: 4 } as const;

const out = newOutput(64 * 1024);

function writeNumber(output: Output, value: number): void {
  writeInt32(output, (value % 4294967296) | 0);
  writeInt32(output, Math.floor(value / 4294967296));
}

function readNumber(buf: Buffer, at: number): number {
  return readInt32(buf, at + 4) * 4294967296 + (readInt32(buf, at) >>> 0);
}

export function encodeOperations(operations: readonly Operation[]): Buffer {
  out.at = 0;
  for (const operation of operations) {
    reserve(out, 1);
    out.buf[out.at++] = codes[operation.kind];
    switch (operation.kind) {
      case "put":
        writeInt32(out, operation.collection);
        writeNumber(out, operation.rid);
        writeDocument(out, operation.doc);
        break;
      case "remove":
        writeInt32(out, operation.collection);
        writeNumber(out, operation.rid);
        break;
      case "catalog":
        writeDocument(out, operation.change);
        break;
      case "commit":
        writeNumber(out, operation.number);
        break;
    }
  }
  return out.buf.subarray(0, out.at);
}

export interface Replayer {
  put(collection: number, rid: number, doc: Doc): void;
  remove(collection: number, rid: number): void;
  catalog(change: Doc): void;
  /** Whether the rest of the frame is applied. */
  commit(number: number): boolean;
}

/** The documents handed out point into the payload. */
export function decodeOperations(payload: Buffer, replayer: Replayer): void {
  let at = 0;
  while (at < payload.length) {
    const code = payload[at];
    at++;
    if (code === codes.put) {
      const doc = Doc.at(payload, at + 12);
      replayer.put(readInt32(payload, at), readNumber(payload, at + 4), doc);
      at += 12 + readInt32(payload, at + 12);
    } else if (code === codes.remove) {
      replayer.remove(readInt32(payload, at), readNumber(payload, at + 4));
      at += 12;
    } else if (code === codes.catalog) {
      const end = checkDocument(payload, at, payload.length);
      replayer.catalog(Doc.at(payload, at));
      at = end;
    } else if (code === codes.commit) {
      if (!replayer.commit(readNumber(payload, at))) return;
      at += 8;
    } else throw new Error(`unknown operation ${code}`);
  }
}

const change = (collection: Collection, what: string, fields: Parameters<typeof Doc.from>[0] = {}): Operation => ({
  kind: "catalog",
  change: Doc.from({ do: what, id: collection.id, ...fields }),
});

export const created = (collection: Collection): Operation =>
  change(collection, "create", {
    name: collection.name,
    options: collection.options,
    uuid: new Binary(4, collection.uuid),
  });
export const droppedCollection = (collection: Collection): Operation => change(collection, "drop");
export const renamed = (collection: Collection): Operation => change(collection, "rename", { name: collection.name });
export const optionsChanged = (collection: Collection): Operation =>
  change(collection, "options", { options: collection.options });
export const indexed = (collection: Collection, spec: Doc): Operation => change(collection, "index", { spec });
export const indexDropped = (collection: Collection, name: string): Operation =>
  change(collection, "dropIndex", { name });
