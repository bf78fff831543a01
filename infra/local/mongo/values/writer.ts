import { countWork } from "../foundation/budget.ts";
import {
  type Output,
  patchInt32,
  reserve,
  writeBigInt,
  writeBytes,
  writeCString,
  writeInt32,
  writeString,
} from "./byte-output.ts";
import { Decimal, writeDecimal } from "./decimal.ts";
import { Doc, Run } from "./document.ts";
import { tooLarge } from "./limits.ts";
import { readInt32 } from "./reader.ts";
import {
  Binary,
  Code,
  Double,
  isInt32,
  MaxKey,
  millisecondsOf,
  ObjectId,
  Regex,
  Timestamp,
  UtcDate,
  type Value,
} from "./types.ts";

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
  if (doc.pieces === undefined) {
    const { keys, values } = doc;
    for (let i = 0; i < keys.length; i++) writeElement(out, keys[i] as string, values[i] as Value);
  } else {
    for (const piece of doc.pieces) {
      if (piece instanceof Run) writeBytes(out, piece.buf, piece.start, piece.end);
      else writeElement(out, piece.key, piece.value);
    }
  }
  reserve(out, 1);
  out.buf[out.at++] = 0;
  patchInt32(out, start, out.at - start);
}

function writeArray(out: Output, items: readonly Value[]): void {
  // Writing the answer also counts for the time limit of the command.
  countWork(items.length >> 3);
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

/** More than any message or document may have. A value with shared parts could otherwise grow without end. */
const ceiling = 64 * 1024 * 1024;

function writeElement(out: Output, key: string, value: Value): void {
  if (out.at > ceiling) throw tooLarge(out.at);
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
      writeBigInt(out, millisecondsOf(value as UtcDate));
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
