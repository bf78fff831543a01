import { readDecimal } from "./decimal.ts";
import { readDate, readInt32, readInt64, unknownType } from "./reader.ts";
import { Binary, Code, maxKey, minKey, ObjectId, Regex, Timestamp, type Value } from "./types.ts";

/** Reads a value of a type that holds no document. Doc itself reads the most common types. */
export function readScalar(buf: Buffer, type: number, at: number): Value {
  switch (type) {
    case 5:
      return readBinary(buf, at);
    case 7:
      return new ObjectId(buf.latin1Slice(at, at + 12));
    case 9:
      return readDate(buf, at);
    case 11:
      return readRegex(buf, at);
    case 13:
      return new Code(buf.utf8Slice(at + 4, at + 3 + readInt32(buf, at)));
    case 17:
      return new Timestamp(BigInt.asUintN(64, readInt64(buf, at)));
    case 18:
      return readInt64(buf, at);
    case 19:
      return readDecimal(buf, at);
    case 127:
      return maxKey;
    case 255:
      return minKey;
    default:
      throw unknownType(type);
  }
}

function readBinary(buf: Buffer, at: number): Binary {
  const length = readInt32(buf, at);
  return new Binary(buf[at + 4] as number, buf.subarray(at + 5, at + 5 + length));
}

function readRegex(buf: Buffer, at: number): Regex {
  const patternEnd = buf.indexOf(0, at);
  return new Regex(buf.utf8Slice(at, patternEnd), buf.latin1Slice(patternEnd + 1, buf.indexOf(0, patternEnd + 1)));
}
