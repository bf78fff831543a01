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
import { chunkSize, frameFollows, headerSize, readFrame } from "./frames.ts";

/**
 * An append-only file of frames. A frame is a magic number, the length of its payload, a checksum of the payload and a
 * checksum of these twelve bytes. It is applied completely or not at all.
 */
export interface Journal {
  readonly path: string;
  fd: number | undefined;
  size: number;
  /** Bytes of the last snapshot. Compaction can only save what was written since. */
  base: number;
  dirty: boolean;
  /** A background sync is running. */
  syncing: boolean;
}

/** The file is damaged in a place that no crash of this process can damage. */
export class DamagedFile extends Error {}

export function openJournal(path: string): Journal {
  return { path, fd: undefined, size: 0, base: 0, dirty: false, syncing: false };
}

/** Limits the open files: many databases must not exhaust the descriptors of the process. */
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

/** Writes the frame to the operating system. From here on it survives the death of this process. */
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

/** Syncs in the background: a disk may take longer than many queries. */
export function syncSoon(journal: Journal): void {
  if (!journal.dirty || journal.syncing) return;
  journal.dirty = false;
  journal.syncing = true;
  fdatasync(descriptor(journal), (error) => {
    journal.syncing = false;
    // EBADF: the journal was closed, which synced it.
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

/**
 * Reads a journal from its start. An incomplete or unreadable frame without a complete frame after it is the torn end
 * of a write that was never acknowledged, and is cut off. If complete frames follow, the file is damaged.
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

/** Replaces a journal atomically: a crash leaves the old one or the new one, each complete. */
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

/** A rename or a new file is durable once its directory is synced. */
export function syncDirectory(path: string): void {
  const fd = openSync(path, "r");
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
