import { crc32 } from "node:zlib";

const magic = 0x314a4e54;
export const headerSize = 16;

/** The bytes of a frame; journal.ts describes the format. */
export function frame(payload: readonly Buffer[]): Buffer {
  const length = payload.reduce((sum, part) => sum + part.length, 0);
  const out = Buffer.allocUnsafe(headerSize + length);
  let at = headerSize;
  for (const part of payload) {
    part.copy(out, at);
    at += part.length;
  }
  out.writeUInt32LE(magic, 0);
  out.writeUInt32LE(length, 4);
  out.writeUInt32LE(crc32(out.subarray(headerSize)), 8);
  out.writeUInt32LE(crc32(out.subarray(0, 12)), 12);
  return out;
}

export const chunkSize = 8 * 1024 * 1024;

type Read = (from: number, length: number) => Buffer | undefined;

export function readFrame(read: Read, at: number): Buffer | undefined {
  const header = read(at, headerSize);
  if (
    header === undefined ||
    header.readUInt32LE(0) !== magic ||
    header.readUInt32LE(12) !== crc32(header.subarray(0, 12))
  )
    return undefined;
  const length = header.readUInt32LE(4);
  const checksum = header.readUInt32LE(8);
  const payload = read(at + headerSize, length);
  return payload !== undefined && crc32(payload) === checksum ? payload : undefined;
}

/** Whether a complete frame starts anywhere after `from`. */
export function frameFollows(read: Read, from: number, size: number): boolean {
  const needle = Buffer.alloc(4);
  needle.writeUInt32LE(magic);
  for (let start = from + 1; start < size; ) {
    const part = read(start, Math.min(chunkSize, size - start));
    const found = part?.indexOf(needle) ?? -1;
    if (part === undefined) return false;
    if (found < 0) {
      start += Math.max(1, part.length - 3);
      if (part.length <= 3) return false;
      continue;
    }
    if (readFrame(read, start + found) !== undefined) return true;
    start += found + 1;
  }
  return false;
}
