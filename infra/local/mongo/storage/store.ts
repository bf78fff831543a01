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
  /** Numbers of the commits that span databases. A frame of such a commit is applied only if its number is here. */
  readonly commits: Journal;
  nextCommit: number;
  nextCollection: number;
  readonly log: (line: string) => void;
  /**
   * Called when a journal cannot be written. Memory is then ahead of the disk, and no further write may be
   * acknowledged.
   */
  readonly onFailure: (error: unknown) => void;
}

/** The folder of a database. All special characters are escaped, so that a name is never a path. */
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
  // Snapshots refer to no commits.
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

/**
 * Names that differ only in case would share a folder on some disks. An empty database is removed, another one is
 * refused.
 */
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

/** Writes the changes of one command or one transaction. When it returns, they survive the death of this process. */
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
  // The parts are synced before the commit record, so that a power failure leaves all of them or none.
  for (const [{ journal }] of filled) sync(journal);
  append(store.commits, frame([encodeOperations([commit])]));
  sync(store.commits);
}

/** Syncs recent writes to the disk in the background. */
export function syncStore(store: Store): void {
  for (const { journal } of store.databases.values()) syncSoon(journal);
}

export function closeStore(store: Store): void {
  for (const { journal } of store.databases.values()) closeJournal(journal);
  closeJournal(store.commits);
  syncDirectory(join(store.directory, "databases"));
}

/** Compacts the journals that have too much garbage. */
export function compactStore(store: Store): void {
  for (const database of store.databases.values()) {
    if (!needsCompaction(database)) continue;
    compact(database);
  }
}
