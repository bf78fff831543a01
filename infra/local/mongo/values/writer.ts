import { MongoFault } from "../fault.ts";
import { Decimal } from "./decimal.ts";
import { writeDecimal } from "./decimal-bits.ts";
import { Doc } from "./document.ts";
import { readInt32 } from "./reader.ts";
import { Binary, Code, Double, isInt32, MaxKey, ObjectId, Regex, Timestamp, UtcDate, type Value } from "./types.ts";

export const maxDocumentSize = 16 * 1024 * 1024;

/** A growing buffer that BSON is written into. One is reused for everything, so take what it holds before writing on. */
export interface Output {
  buf: Buffer;
  at: number;
}

export function newOutput(size: number): Output {
  return { buf: Buffer.allocUnsafeSlow(size), at: 0 };
}

export function reserve(out: Output, bytes: number): void {
  const needed = out.at + bytes;
  if (needed <= out.buf.length) return;
  const grown = Buffer.allocUnsafeSlow(Math.max(needed, out.buf.length * 2));
  out.buf.copy(grown, 0, 0, out.at);
  out.buf = grown;
}

export function writeInt32(out: Output, value: number): void {
  reserve(out, 4);
  const { buf, at } = out;
  buf[at] = value;
  buf[at + 1] = value >>> 8;
  buf[at + 2] = value >>> 16;
  buf[at + 3] = value >>> 24;
  out.at = at + 4;
}

function patchInt32(out: Output, at: number, value: number): void {
  out.buf[at] = value;
  out.buf[at + 1] = value >>> 8;
  out.buf[at + 2] = value >>> 16;
  out.buf[at + 3] = value >>> 24;
}

function writeText(out: Output, text: string): void {
  reserve(out, text.length * 3);
  if (text.length < 24) {
    const { buf } = out;
    let at = out.at;
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      if (code > 127) {
        out.at += buf.utf8Write(text, out.at);
        return;
      }
      buf[at++] = code;
    }
    out.at = at;
  } else out.at += out.buf.utf8Write(text, out.at);
}

function writeCString(out: Output, text: string): void {
  writeText(out, text);
  reserve(out, 1);
  out.buf[out.at++] = 0;
}

function writeString(out: Output, text: string): void {
  const start = out.at;
  reserve(out, 5);
  out.at += 4;
  writeCString(out, text);
  patchInt32(out, start, out.at - start - 4);
}

function writeBigInt(out: Output, value: bigint): void {
  reserve(out, 8);
  out.buf.writeBigInt64LE(BigInt.asIntN(64, value), out.at);
  out.at += 8;
}

function writeBytes(out: Output, buf: Buffer, start: number, end: number): void {
  reserve(out, end - start);
  buf.copy(out.buf, out.at, start, end);
  out.at += end - start;
}

export function bsonType(value: Value): number {
  switch (typeof value) {
    case "number":
      return isInt32(value) ? 16 : 1;
    case "string":
      return 2;
    case "boolean":
      return 8;
    case "bigint":
      return 18;
    default:
  }
  if (value === null) return 10;
  if (value instanceof Doc) return 3;
  if (Array.isArray(value)) return 4;
  if (value instanceof ObjectId) return 7;
  if (value instanceof UtcDate) return 9;
  if (value instanceof Double) return 1;
  if (value instanceof Decimal) return 19;
  if (value instanceof Binary) return 5;
  if (value instanceof Timestamp) return 17;
  if (value instanceof Regex) return 11;
  if (value instanceof Code) return value.scope === undefined ? 13 : 15;
  return value instanceof MaxKey ? 127 : 255;
}

export function writeDocument(out: Output, doc: Doc): void {
  if (doc.buf !== undefined) {
    writeBytes(out, doc.buf, doc.off, doc.off + readInt32(doc.buf, doc.off));
    return;
  }
  const start = out.at;
  reserve(out, 5);
  out.at += 4;
  const { keys, values } = doc;
  for (let i = 0; i < keys.length; i++) writeElement(out, keys[i] as string, values[i] as Value);
  reserve(out, 1);
  out.buf[out.at++] = 0;
  patchInt32(out, start, out.at - start);
}

function writeArray(out: Output, items: readonly Value[]): void {
  const start = out.at;
  reserve(out, 5);
  out.at += 4;
  for (let i = 0; i < items.length; i++)
    writeElement(out, i < 1000 ? (indexNames[i] as string) : String(i), items[i] as Value);
  reserve(out, 1);
  out.buf[out.at++] = 0;
  patchInt32(out, start, out.at - start);
}

const indexNames = Array.from({ length: 1000 }, (_, i) => String(i));

function writeElement(out: Output, key: string, value: Value): void {
  const type = bsonType(value);
  reserve(out, 1);
  out.buf[out.at++] = type;
  writeCString(out, key);
  writeValue(out, type, value);
}

function writeValue(out: Output, type: number, value: Value): void {
  switch (type) {
    case 1:
      reserve(out, 8);
      out.at = out.buf.writeDoubleLE(value instanceof Double ? value.value : (value as number), out.at);
      break;
    case 2:
      writeString(out, value as string);
      break;
    case 3:
      writeDocument(out, value as Doc);
      break;
    case 4:
      writeArray(out, value as Value[]);
      break;
    case 5: {
      const { bytes, subtype } = value as Binary;
      writeInt32(out, bytes.length);
      reserve(out, bytes.length + 1);
      out.buf[out.at++] = subtype;
      out.buf.set(bytes, out.at);
      out.at += bytes.length;
      break;
    }
    case 7:
      reserve(out, 12);
      out.at += out.buf.latin1Write((value as ObjectId).raw, out.at, 12);
      break;
    case 8:
      reserve(out, 1);
      out.buf[out.at++] = value === true ? 1 : 0;
      break;
    case 9:
      writeBigInt(out, BigInt((value as UtcDate).ms));
      break;
    case 11:
      writeCString(out, (value as Regex).pattern);
      writeCString(out, (value as Regex).flags);
      break;
    case 13:
      writeString(out, (value as Code).source);
      break;
    case 15: {
      const start = out.at;
      writeInt32(out, 0);
      writeString(out, (value as Code).source);
      writeDocument(out, (value as Code).scope ?? Doc.empty);
      patchInt32(out, start, out.at - start);
      break;
    }
    case 16:
      writeInt32(out, value as number);
      break;
    case 17:
      writeBigInt(out, (value as Timestamp).value);
      break;
    case 18:
      writeBigInt(out, value as bigint);
      break;
    case 19:
      reserve(out, 16);
      writeDecimal(out.buf, out.at, value as Decimal);
      out.at += 16;
      break;
    default:
  }
}

const scratch = newOutput(64 * 1024);

/** Documents live in shared slabs: one allocation for many small ones. */
const slabSize = 32 * 1024;
let slab = Buffer.allocUnsafeSlow(slabSize);
let slabAt = 0;

function place(source: Buffer, start: number, end: number): Doc {
  const length = end - start;
  if (length > slabSize / 4) {
    const own = Buffer.allocUnsafeSlow(length);
    source.copy(own, 0, start, end);
    return Doc.at(own, 0);
  }
  if (slabAt + length > slabSize) {
    slab = Buffer.allocUnsafeSlow(slabSize);
    slabAt = 0;
  }
  source.copy(slab, slabAt, start, end);
  const doc = Doc.at(slab, slabAt);
  slabAt += length;
  return doc;
}

/** The document as bytes of its own, independent of the message or file it came from. */
export function settle(doc: Doc): Doc {
  if (doc.buf !== undefined) return place(doc.buf, doc.off, doc.off + readInt32(doc.buf, doc.off));
  scratch.at = 0;
  writeDocument(scratch, doc);
  if (scratch.at > maxDocumentSize) throw tooLarge(scratch.at);
  return place(scratch.buf, 0, scratch.at);
}

export function tooLarge(size: number): MongoFault {
  return new MongoFault(10334, `BSONObj size: ${size} is invalid. Size must be between 0 and ${maxDocumentSize}(16MB)`);
}

export function documentSize(doc: Doc): number {
  if (doc.buf !== undefined) return readInt32(doc.buf, doc.off);
  scratch.at = 0;
  writeDocument(scratch, doc);
  return scratch.at;
}

/** The same fields with the bytes made once, for a document that will be measured and then sent. */
export function encoded(doc: Doc): Doc {
  if (doc.buf !== undefined) return doc;
  scratch.at = 0;
  writeDocument(scratch, doc);
  const own = Buffer.allocUnsafe(scratch.at);
  scratch.buf.copy(own, 0, 0, scratch.at);
  return Doc.at(own, 0);
}
