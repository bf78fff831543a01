import type { Doc } from "../values/document.ts";
import type { Collection } from "./catalog.ts";

/** The records of a collection that a transaction sees differently from what is stored; null means deleted. */
export type Overlay = ReadonlyMap<number, Doc | null>;

interface CollectionView {
  /** Records that others changed since the snapshot, in the version of the snapshot. */
  readonly before: Map<number, Doc | null>;
  readonly writes: Map<number, Doc | null>;
  seen: number;
  merged: Map<number, Doc | null> | undefined;
}

export interface Transaction {
  readonly snapshot: number;
  readonly parts: Map<Collection, CollectionView>;
  readonly created: Collection[];
  state: "open" | "committed" | "aborted";
  lastUsed: number;
  readonly waiting: (() => void)[];
}

export function viewOf(transaction: Transaction, collection: Collection): CollectionView {
  let part = transaction.parts.get(collection);
  if (part === undefined) {
    part = { before: new Map(), writes: new Map(), seen: transaction.snapshot, merged: undefined };
    transaction.parts.set(collection, part);
  }
  const { undo } = collection;
  let from = undo.length;
  while (from > 0 && (undo[from - 1] as { time: number }).time > part.seen) from--;
  for (; from < undo.length; from++) {
    const { rid, old, time } = undo[from] as { rid: number; old: Doc | undefined; time: number };
    part.seen = time;
    part.merged = undefined;
    if (!part.before.has(rid)) part.before.set(rid, old ?? null);
  }
  return part;
}

export function overlayOf(transaction: Transaction, collection: Collection): Overlay {
  const part = viewOf(transaction, collection);
  if (part.writes.size === 0) return part.before;
  if (part.before.size === 0) return part.writes;
  part.merged ??= new Map([...part.before, ...part.writes]);
  return part.merged;
}

/** Whether others have changed a record since the snapshot. */
export const changedSince = (transaction: Transaction, collection: Collection, rid: number): boolean =>
  viewOf(transaction, collection).before.has(rid);
