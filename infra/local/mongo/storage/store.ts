import { mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { MongoFault } from "../foundation/fault.ts";
import type { Database } from "./catalog.ts";
import { frame } from "./frames.ts";
import {
  append,
  closeJournal,
  type Journal,
  openJournal,
  replace,
  replay,
  sync,
  syncDirectory,
  syncSoon,
} from "./journal.ts";
import { loadDatabase } from "./load.ts";
import { decodeOperations, encodeOperations, type Operation } from "./operations.ts";
import { compact, needsCompaction } from "./snapshot.ts";

export interface Store {
  readonly directory: string;
  readonly databases: Map<string, Database>;
  /** Numbers of the commits that span databases; a frame that waits for one counts only if it is here. */
  readonly commits: Journal;
  nextCommit: number;
  nextCollection: number;
  readonly log: (line: string) => void;
  /** Called when a journal cannot be written: memory is then ahead of the disk, and nothing more may be acknowledged. */
  readonly onFailure: (error: unknown) => void;
}

/** Database names go to disk with all but plain characters escaped: a name is never a path. */
const folderOf = (name: string): string =>
  encodeURIComponent(name).replace(/[.*!'()~]/g, (char) => `%${char.charCodeAt(0).toString(16).padStart(2, "0")}`);

const dropped = ".dropped-";

export function openStore(directory: string, log: Store["log"], onFailure: Store["onFailure"]): Store {
  const root = join(directory, "databases");
  mkdirSync(root, { recursive: true, mode: 0o700 });
  const store: Store = {
    directory,
    databases: new Map(),
    commits: openJournal(join(directory, "commits.journal")),
    nextCommit: 1,
    nextCollection: 1,
    log,
    onFailure,
  };
  const commits = new Set<number>();
  const collect = (number: number): boolean => commits.add(number).size > 0;
  replay(
    store.commits,
    (payload) => decodeOperations(payload, { put: ignore, remove: ignore, catalog: ignore, commit: collect }),
    log,
  );
  for (const number of commits) store.nextCommit = Math.max(store.nextCommit, number + 1);
  for (const folder of readdirSync(root)) {
    const path = join(root, folder);
    if (folder.startsWith(dropped)) rmSync(path, { recursive: true, force: true });
    else {
      const { database, highest } = loadDatabase(decodeURIComponent(folder), path, commits, log);
      store.nextCollection = Math.max(store.nextCollection, highest + 1);
      store.databases.set(database.name, database);
    }
  }
  const waiting = commits.size > 0;
  for (const database of store.databases.values()) if (waiting || needsCompaction(database)) compact(database);
  // Once every journal is a snapshot, none refers to a commit any more.
  if (waiting) replace(store.commits, ignore);
  return store;
}

const ignore = (): void => undefined;

export function databaseNamed(store: Store, name: string): Database {
  let database = store.databases.get(name);
  if (database === undefined) {
    makeRoom(store, name);
    const path = join(store.directory, "databases", folderOf(name));
    mkdirSync(path, { recursive: true, mode: 0o700 });
    database = { name, collections: new Map(), journal: openJournal(join(path, "journal")) };
    store.databases.set(name, database);
  }
  return database;
}

/** Names that differ in case alone would be one folder on some disks: an empty one goes, another is in the way. */
function makeRoom(store: Store, name: string): void {
  for (const other of store.databases.values()) {
    if (other.name.toLowerCase() !== name.toLowerCase()) continue;
    if (other.collections.size > 0)
      throw new MongoFault(
        "DatabaseDifferCase",
        `db already exists with different case already have: [${other.name}] trying to create [${name}]`,
      );
    removeDatabase(store, other);
  }
}

export function removeDatabase(store: Store, database: Database): void {
  closeJournal(database.journal);
  store.databases.delete(database.name);
  const root = join(store.directory, "databases");
  const grave = join(root, `${dropped}${process.hrtime.bigint()}`);
  renameSync(join(root, folderOf(database.name)), grave);
  rmSync(grave, { recursive: true, force: true });
}

/** Writes what one command or one transaction did. When it returns, the death of this process cannot undo it. */
export function persist(store: Store, changes: ReadonlyMap<Database, readonly Operation[]>, durable: boolean): void {
  try {
    write(store, changes, durable);
  } catch (error) {
    store.onFailure(error);
    throw error;
  }
}

function write(store: Store, changes: ReadonlyMap<Database, readonly Operation[]>, durable: boolean): void {
  const filled = [...changes].filter(([, operations]) => operations.length > 0);
  const [first] = filled;
  if (first === undefined) return;
  if (filled.length === 1) {
    const [{ journal }, operations] = first;
    append(journal, frame([encodeOperations(operations)]));
    if (durable) sync(journal);
    return;
  }
  const number = store.nextCommit++;
  const commit: Operation = { kind: "commit", number };
  for (const [{ journal }, operations] of filled) append(journal, frame([encodeOperations([commit, ...operations])]));
  // The parts reach the disk before the record that makes them count, so that a power cut leaves no half of them.
  for (const [{ journal }] of filled) sync(journal);
  append(store.commits, frame([encodeOperations([commit])]));
  sync(store.commits);
}

/** Brings what was written in the last moments to the disk, in the background. */
export function syncStore(store: Store): void {
  for (const { journal } of store.databases.values()) syncSoon(journal);
}

export function closeStore(store: Store): void {
  for (const { journal } of store.databases.values()) closeJournal(journal);
  closeJournal(store.commits);
  syncDirectory(join(store.directory, "databases"));
}

/** Rewrites the journals that hold more garbage than is worth keeping. */
export function compactStore(store: Store): void {
  for (const database of store.databases.values()) {
    if (!needsCompaction(database)) continue;
    compact(database);
  }
}
