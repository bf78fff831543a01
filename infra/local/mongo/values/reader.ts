import { MongoFault } from "../foundation/fault.ts";
import { UtcDate, utcDate } from "./types.ts";

const float = new Float64Array(1);
const floatBytes = new Uint8Array(float.buffer);
const long = new BigInt64Array(floatBytes.buffer);

export function readInt32(buf: Uint8Array, at: number): number {
  return (
    (buf[at] as number) |
    ((buf[at + 1] as number) << 8) |
    ((buf[at + 2] as number) << 16) |
    ((buf[at + 3] as number) << 24)
  );
}

function load8(buf: Uint8Array, at: number): void {
  for (let i = 0; i < 8; i++) floatBytes[i] = buf[at + i] as number;
}

export function readDouble(buf: Uint8Array, at: number): number {
  load8(buf, at);
  return float[0] as number;
}

export function readInt64(buf: Uint8Array, at: number): bigint {
  load8(buf, at);
  return long[0] as bigint;
}

export function readDate(buf: Uint8Array, at: number): UtcDate {
  const high = readInt32(buf, at + 4);
  const exact = high >= -0x1f_ffff && high < 0x1f_ffff;
  return exact ? new UtcDate(high * 4294967296 + (readInt32(buf, at) >>> 0)) : utcDate(readInt64(buf, at));
}

/** Field names repeat often. A small table has one string for each, so that `===` compares pointers. */
const names: string[] = new Array(4096).fill("");

export function readName(buf: Buffer, start: number, end: number): string {
  const length = end - start;
  if (length > 24) return buf.utf8Slice(start, end);
  let hash = length;
  for (let i = start; i < end; i++) hash = (hash * 31 + (buf[i] as number)) | 0;
  const slot = hash & 4095;
  const known = names[slot] as string;
  if (known.length === length) {
    let i = 0;
    while (i < length && known.charCodeAt(i) === buf[start + i] && (buf[start + i] as number) < 128) i++;
    if (i === length) return known;
  }
  const name = buf.utf8Slice(start, end);
  names[slot] = name;
  return name;
}

export function readString(buf: Buffer, start: number, end: number): string {
  if (end - start < 12) {
    let text = "";
    for (let i = start; i < end; i++) {
      const code = buf[i] as number;
      if (code > 127) return buf.utf8Slice(start, end);
      text += String.fromCharCode(code);
    }
    return text;
  }
  return buf.utf8Slice(start, end);
}

export function unknownType(type: number): MongoFault {
  return new MongoFault("InvalidBSON", `BSON type ${type} is not supported by the embedded database`);
}

/** The end of the value that starts at `at`. */
export function skipValue(buf: Buffer, type: number, at: number): number {
  switch (type) {
    case 1:
    case 9:
    case 17:
    case 18:
      return at + 8;
    case 2:
    case 13:
      return at + 4 + readInt32(buf, at);
    case 3:
    case 4:
    case 15:
      return at + readInt32(buf, at);
    case 5:
      return at + 5 + readInt32(buf, at);
    case 7:
      return at + 12;
    case 8:
      return at + 1;
    case 10:
    case 127:
    case 255:
      return at;
    case 11:
      return buf.indexOf(0, buf.indexOf(0, at) + 1) + 1;
    case 16:
      return at + 4;
    case 19:
      return at + 16;
    default:
      throw unknownType(type);
  }
}

/** The nesting that MongoDB allows: https://www.mongodb.com/docs/manual/reference/limits/ */
const deepest = 180;

/** Checks a document from a client or a file, so that later readers may trust its lengths and types. */
export function checkDocument(buf: Buffer, off: number, limit: number, depth = 0): number {
  if (off + 5 > limit) throw invalid("a document is cut short");
  const end = off + readInt32(buf, off);
  if (end < off + 5 || end > limit || buf[end - 1] !== 0) throw invalid("a document length is wrong");
  if (depth > deepest) throw new MongoFault("Overflow", `Exceeded depth limit of ${deepest} when converting to BSON`);
  let at = off + 4;
  for (let type = buf[at] as number; type !== 0; type = buf[at] as number) {
    let p = at + 1;
    while (buf[p] !== 0) p++;
    if (p >= end) throw invalid("a field name is not terminated");
    at = checkValue(buf, type, p + 1, end, depth);
  }
  if (at !== end - 1) throw invalid("a document ends before its length");
  return end;
}

function checkValue(buf: Buffer, type: number, start: number, limit: number, depth: number): number {
  const end = skipValue(buf, type, start);
  if (end >= limit || end < start) throw invalid("a value is longer than its document");
  if (type === 3 || type === 4) checkDocument(buf, start, end, depth + 1);
  else if (type === 2 || type === 13) checkString(buf, start, end);
  else if (type === 5 && end < start + 5) throw invalid("a binary length is wrong");
  else if (type === 15) {
    const codeEnd = start + 8 + readInt32(buf, start + 4);
    checkString(buf, start + 4, codeEnd);
    checkDocument(buf, codeEnd, end, depth + 1);
  }
  return end;
}

function checkString(buf: Buffer, start: number, end: number): void {
  if (end < start + 5 || buf[end - 1] !== 0) throw invalid("a string length is wrong");
}

function invalid(what: string): MongoFault {
  return new MongoFault("InvalidBSON", `Invalid BSON: ${what}`);
}
