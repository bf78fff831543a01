import { MongoFault } from "../foundation/fault.ts";
import { newOutput, reserve, writeInt32 } from "../values/byte-output.ts";
import { Doc } from "../values/document.ts";
import { checkDocument, readInt32 } from "../values/reader.ts";
import type { Value } from "../values/types.ts";
import { writeDocument } from "../values/writer.ts";

/** https://www.mongodb.com/docs/manual/reference/mongodb-wire-protocol/ */
const opReply = 1;
const opQuery = 2004;
const opMsg = 2013;

export const headerSize = 16;
export const maxMessageSize = 48_000_000 + 16 * 1024;

export interface Request {
  readonly id: number;
  readonly kind: "msg" | "query";
  readonly command: Doc;
  /** The sender expects no reply. */
  readonly silent: boolean;
}

export function readRequest(buf: Buffer, start: number, end: number): Request {
  const id = readInt32(buf, start + 4);
  const operation = readInt32(buf, start + 12);
  if (operation === opMsg) return readMessage(buf, start, end, id);
  if (operation === opQuery) return readQuery(buf, start, end, id);
  throw new MongoFault("ProtocolError", `the wire operation ${operation} is not supported by the embedded database`);
}

const checksumPresent = 1;
const moreToCome = 2;

function readMessage(buf: Buffer, start: number, end: number, id: number): Request {
  const flags = readInt32(buf, start + headerSize);
  if (flags & 0xfffc) throw new MongoFault("ProtocolError", `unknown required flag bits: ${flags}`);
  const last = flags & checksumPresent ? end - 4 : end;
  let at = start + headerSize + 4;
  let body: Doc | undefined;
  let sequences: Map<string, Value[]> | undefined;
  while (at < last) {
    const kind = buf[at];
    if (kind === 0) {
      body = Doc.at(buf, at + 1);
      at = checkDocument(buf, at + 1, last);
    } else if (kind === 1) {
      const sectionEnd = at + 1 + readInt32(buf, at + 1);
      if (sectionEnd > last || sectionEnd < at + 6)
        throw new MongoFault("ProtocolError", "a document sequence is longer than its message");
      const nameEnd = buf.indexOf(0, at + 5);
      const docs: Value[] = [];
      let next = nameEnd + 1;
      while (next < sectionEnd) {
        docs.push(Doc.at(buf, next));
        next = checkDocument(buf, next, sectionEnd);
      }
      sequences ??= new Map();
      sequences.set(buf.utf8Slice(at + 5, nameEnd), docs);
      at = sectionEnd;
    } else throw new MongoFault("Location40432", `Unknown section kind ${kind}`);
  }
  if (body === undefined) throw new MongoFault("Location40587", "OP_MSG messages must have a body");
  const command =
    sequences === undefined
      ? body
      : Doc.of([...body.keys, ...sequences.keys()], [...body.values, ...sequences.values()]);
  return { id, kind: "msg", command, silent: (flags & moreToCome) !== 0 };
}

/** Only the first hello of a driver uses OP_QUERY. */
function readQuery(buf: Buffer, start: number, end: number, id: number): Request {
  const nameStart = start + headerSize + 4;
  const nameEnd = buf.indexOf(0, nameStart);
  const namespace = buf.utf8Slice(nameStart, nameEnd);
  const at = nameEnd + 9;
  checkDocument(buf, at, end);
  const query = Doc.at(buf, at);
  const first = query.keys[0] ?? "";
  if (!["hello", "ismaster", "isMaster"].includes(first)) {
    throw new MongoFault(
      "UnsupportedOpQueryCommand",
      `Unsupported OP_QUERY command: ${first}. The client driver may require an upgrade.`,
    );
  }
  return {
    id,
    kind: "query",
    command: query.has("$db") ? query : query.with("$db", namespace.split(".")[0] ?? "admin"),
    silent: false,
  };
}

const out = newOutput(256 * 1024);
let nextId = 1;

export function writeReply(request: { id: number; kind: "msg" | "query" }, reply: Doc): Buffer {
  out.at = 0;
  writeInt32(out, 0);
  writeInt32(out, nextId++ | 0);
  writeInt32(out, request.id);
  if (request.kind === "msg") {
    writeInt32(out, opMsg);
    writeInt32(out, 0);
    reserve(out, 1);
    out.buf[out.at++] = 0;
  } else {
    writeInt32(out, opReply);
    writeInt32(out, 8);
    writeInt32(out, 0);
    writeInt32(out, 0);
    writeInt32(out, 0);
    writeInt32(out, 1);
  }
  writeDocument(out, reply);
  const bytes = Buffer.allocUnsafe(out.at);
  out.buf.copy(bytes, 0, 0, out.at);
  bytes.writeInt32LE(out.at, 0);
  return bytes;
}
