import { once } from "node:events";
import { connect } from "node:net";
import { BSON, type Document } from "mongodb";

/** A client of the wire protocol, for messages that the driver never sends. */
export interface RawClient {
  send(body: Document, options?: SendOptions): Promise<Document>;
  query(body: Document): Promise<Document>;
  write(bytes: Uint8Array): void;
  readonly closed: Promise<unknown>;
  close(): void;
}

export interface SendOptions {
  readonly sequence?: readonly [name: string, docs: readonly Document[]];
  readonly checksum?: boolean;
  /** No reply will come; the promise resolves immediately. */
  readonly moreToCome?: boolean;
  /** Sends the message in parts of this many bytes. */
  readonly pieces?: number;
}

const header = (length: number, id: number, operation: number): Buffer => {
  const out = Buffer.alloc(16);
  for (const [i, value] of [length, id, 0, operation].entries()) out.writeInt32LE(value, i * 4);
  return out;
};
const int32 = (value: number): Buffer => {
  const out = Buffer.alloc(4);
  out.writeInt32LE(value);
  return out;
};

export async function connectRaw(uri: string): Promise<RawClient> {
  const { hostname, port } = new URL(uri);
  const socket = connect(Number(port), hostname);
  await once(socket, "connect");
  const waiting = new Map<number, (reply: Document) => void>();
  let pending = Buffer.alloc(0);
  let nextId = 1;
  socket.on("error", () => undefined);
  socket.on("data", (chunk) => {
    pending = Buffer.concat([pending, chunk]);
    while (pending.length >= 16 && pending.length >= pending.readInt32LE(0)) {
      const length = pending.readInt32LE(0);
      const start = pending.readInt32LE(12) === 1 ? 36 : 21;
      waiting.get(pending.readInt32LE(8))?.(BSON.deserialize(pending.subarray(start, length)));
      pending = pending.subarray(length);
    }
  });
  const deliver = (payload: Buffer, operation: number, pieces?: number): Promise<Document> => {
    const id = nextId++;
    const message = Buffer.concat([header(payload.length + 16, id, operation), payload]);
    const reply = new Promise<Document>((resolve) => waiting.set(id, resolve));
    if (pieces === undefined) socket.write(message);
    else for (let at = 0; at < message.length; at += pieces) socket.write(message.subarray(at, at + pieces));
    return reply;
  };
  return {
    send(body, { sequence, checksum = false, moreToCome = false, pieces } = {}) {
      const parts = [
        int32((checksum ? 1 : 0) | (moreToCome ? 2 : 0)),
        Buffer.from([0]),
        Buffer.from(BSON.serialize(body)),
      ];
      if (sequence !== undefined) {
        const [name, docs] = sequence;
        const inner = Buffer.concat([Buffer.from(`${name}\0`), ...docs.map((doc) => Buffer.from(BSON.serialize(doc)))]);
        parts.push(Buffer.from([1]), int32(inner.length + 4), inner);
      }
      if (checksum) parts.push(int32(0));
      const reply = deliver(Buffer.concat(parts), 2013, pieces);
      return moreToCome ? Promise.resolve({}) : reply;
    },
    query(body) {
      return deliver(
        Buffer.concat([int32(0), Buffer.from("admin.$cmd\0"), int32(0), int32(-1), Buffer.from(BSON.serialize(body))]),
        2004,
      );
    },
    write: (bytes) => void socket.write(bytes),
    closed: once(socket, "close"),
    close: () => socket.destroy(),
  };
}
