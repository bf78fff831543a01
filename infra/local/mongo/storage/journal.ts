import {
  closeSync,
  fdatasync,
  fdatasyncSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { crc32 } from "node:zlib";

/**
 * An append-only file of frames. A frame is a magic number, the length of its payload, a checksum of the payload and a
 * checksum of these twelve bytes. It is applied whole or not at all.
 */
export interface Journal {
  readonly path: string;
  fd: number | undefined;
  size: number;
  /** Bytes of the last snapshot; what came since is what compaction can win. */
  base: number;
  dirty: boolean;
  /** A sync in the background is on its way. */
  syncing: boolean;
}

const magic = 0x314a4e54;
const headerSize = 16;

/** The file is damaged where no crash of ours can have damaged it. */
export class DamagedFile extends Error {}

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

export function openJournal(path: string): Journal {
  return { path, fd: undefined, size: 0, base: 0, dirty: false, syncing: false };
}

/** Only so many files stay open: a database per tenant must not exhaust the process's descriptors. */
const openLimit = 200;
const open = new Set<Journal>();

function descriptor(journal: Journal): number {
  if (journal.fd !== undefined) return journal.fd;
  if (open.size >= openLimit)
    for (const oldest of open) {
      closeJournal(oldest);
      break;
    }
  journal.fd = openSync(journal.path, "a", 0o600);
  open.add(journal);
  return journal.fd;
}

/** Hands the frame to the operating system: it survives the death of this process from here on. */
export function append(journal: Journal, bytes: Buffer): void {
  const fd = descriptor(journal);
  let written = 0;
  while (written < bytes.length) written += writeSync(fd, bytes, written, bytes.length - written);
  journal.size += bytes.length;
  journal.dirty = true;
}

export function sync(journal: Journal): void {
  if (!journal.dirty && !journal.syncing) return;
  journal.dirty = false;
  fdatasyncSync(descriptor(journal));
}

/** The same without waiting: a disk may take longer than many queries. */
export function syncSoon(journal: Journal): void {
  if (!journal.dirty || journal.syncing) return;
  journal.dirty = false;
  journal.syncing = true;
  fdatasync(descriptor(journal), (error) => {
    journal.syncing = false;
    // Closed meanwhile: closing has synced it.
    if (error !== null && error.code !== "EBADF") journal.dirty = true;
  });
}

export function closeJournal(journal: Journal): void {
  if (journal.fd === undefined) return;
  sync(journal);
  closeSync(journal.fd);
  journal.fd = undefined;
  open.delete(journal);
}

const chunkSize = 8 * 1024 * 1024;

/**
 * Reads a journal from its start. A frame that is cut off or unreadable, with nothing readable after it, is the torn
 * end of a write that was never acknowledged: it is cut away. One that is followed by good frames is damage.
 */
export function replay(journal: Journal, apply: (payload: Buffer) => void, log: (line: string) => void): void {
  const size = statSync(journal.path, { throwIfNoEntry: false })?.size ?? 0;
  if (size === 0) return;
  const fd = openSync(journal.path, "r+");
  try {
    let at = 0;
    let window = Buffer.alloc(0);
    let windowAt = 0;
    const read = (from: number, length: number): Buffer | undefined => {
      if (from + length > size) return undefined;
      if (from < windowAt || from + length > windowAt + window.length) {
        window = Buffer.allocUnsafeSlow(Math.min(Math.max(length, chunkSize), size - from));
        windowAt = from;
        for (let done = 0; done < window.length; ) {
          const count = readSync(fd, window, done, window.length - done, from + done);
          if (count === 0) return undefined;
          done += count;
        }
      }
      return window.subarray(from - windowAt, from - windowAt + length);
    };
    while (at < size) {
      const payload = readFrame(read, at);
      if (payload === undefined) break;
      apply(payload);
      at += headerSize + payload.length;
    }
    if (at < size) {
      if (frameFollows(read, at, size)) {
        throw new DamagedFile(
          `The database file ${journal.path} is damaged at byte ${at}: restore it from a backup, or delete its folder to lose that database.`,
        );
      }
      log(`cut ${size - at} bytes of an unfinished write off ${journal.path}`);
      ftruncateSync(fd, at);
      fsyncSync(fd);
    }
    journal.size = at;
  } finally {
    closeSync(fd);
  }
}

type Read = (from: number, length: number) => Buffer | undefined;

function readFrame(read: Read, at: number): Buffer | undefined {
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

function frameFollows(read: Read, from: number, size: number): boolean {
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

/** Puts a new journal in the place of the old one in one step: a crash leaves the one or the other, both whole. */
export function replace(journal: Journal, write: (append: (bytes: Buffer) => void) => void): void {
  closeJournal(journal);
  const temporary = `${journal.path}.new`;
  const fd = openSync(temporary, "w", 0o600);
  let size = 0;
  try {
    write((bytes) => {
      for (let written = 0; written < bytes.length; ) written += writeSync(fd, bytes, written);
      size += bytes.length;
    });
    fsyncSync(fd);
  } catch (error) {
    closeSync(fd);
    rmSync(temporary, { force: true });
    throw error;
  }
  closeSync(fd);
  renameSync(temporary, journal.path);
  syncDirectory(dirname(journal.path));
  journal.size = size;
  journal.base = size;
  journal.dirty = false;
}

/** A rename or a new file is durable once its directory is. */
export function syncDirectory(path: string): void {
  const fd = openSync(path, "r");
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
