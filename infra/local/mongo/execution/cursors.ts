import { shouldYield } from "../foundation/budget.ts";
import { type Coroutine, type NeedYield, needYield, runWithoutYield } from "../foundation/coroutine.ts";
import { MongoFault } from "../foundation/fault.ts";
import type { Collection } from "../storage/catalog.ts";
import { Doc } from "../values/document.ts";
import { documentSize, encoded } from "../values/encoding.ts";
import { maxDocumentSize } from "../values/limits.ts";

/** Returns the next document, undefined at the end, or needYield: then the caller asks again later. */
export type Source = () => Doc | undefined | NeedYield;

export interface Cursor {
  readonly id: bigint;
  readonly namespace: string;
  readonly next: Source;
  /** A document that did not fit into the last batch. */
  held: Doc | undefined;
  /** A getMore on it is running, possibly between two time slices. */
  isInUse: boolean;
  readonly session: string | undefined;
  lastUsed: number;
  /** Whether the collection of the cursor was dropped or renamed. */
  readonly isGone: () => boolean;
}

export interface Cursors {
  readonly open: Map<bigint, Cursor>;
  nextId: bigint;
}

export const newCursors = (): Cursors => ({ open: new Map(), nextId: BigInt(Date.now()) * 1000n });

export const cursorTimeout = 10 * 60_000;

/** The limit of a reply: one document of full size. */
const batchBytes = maxDocumentSize;

interface Batch {
  readonly docs: Doc[];
  readonly held: Doc | undefined;
  readonly done: boolean;
}

function* nextOf(next: Source): Coroutine<Doc | undefined> {
  for (;;) {
    const doc = next();
    if (doc !== needYield) return doc;
    yield;
  }
}

function* takeBatch(next: Source, held: Doc | undefined, size: number): Coroutine<Batch> {
  const docs: Doc[] = [];
  const taken = { bytes: 0, held };
  for (;;) {
    const batch = takeUntilYield(next, docs, taken, size);
    if (batch !== undefined) return batch;
    yield;
  }
}

/** Takes until the batch is full or the source ends; undefined if it has to yield before. */
function takeUntilYield(
  next: Source,
  docs: Doc[],
  taken: { bytes: number; held: Doc | undefined },
  size: number,
): Batch | undefined {
  while (docs.length < size) {
    const doc = taken.held ?? next();
    if (doc === needYield) return undefined;
    taken.held = undefined;
    if (doc === undefined) return { docs, held: undefined, done: true };
    const ready = encoded(doc);
    taken.bytes += documentSize(ready) + 12;
    if (taken.bytes > batchBytes && docs.length > 0) return { docs, held: ready, done: false };
    docs.push(ready);
  }
  return { docs, held: undefined, done: false };
}

export interface CursorOptions {
  readonly namespace: string;
  readonly batchSize: number | undefined;
  readonly single: boolean;
  readonly session: string | undefined;
  readonly time: number;
  /** The collection that the cursor reads, if it can be dropped. */
  readonly collection?: Collection | undefined;
}

const firstBatch = 101;

/** The reply of a command that opens a cursor. What does not fit is left for getMore. */
export function* openCursor(cursors: Cursors, next: Source, options: CursorOptions): Coroutine<Doc> {
  const { docs, held, done } = yield* takeBatch(next, undefined, options.batchSize ?? firstBatch);
  let id = 0n;
  let pending = held;
  if (!done && !options.single) {
    // Reading one document ahead saves the client a round trip for an empty batch.
    pending ??= yield* nextOf(next);
    if (pending !== undefined || options.batchSize === 0) {
      id = ++cursors.nextId;
      cursors.open.set(id, {
        id,
        namespace: options.namespace,
        next,
        held: pending,
        isInUse: false,
        session: options.session,
        lastUsed: options.time,
        isGone: goneCheck(options.collection),
      });
    }
  }
  return Doc.of(["cursor"], [Doc.of(["firstBatch", "id", "ns"], [docs, id, options.namespace])]);
}

function goneCheck(collection: Collection | undefined): () => boolean {
  if (collection === undefined) return () => false;
  const { db, name } = collection;
  return () => db.collections.get(name) !== collection;
}

export function* continueCursor(
  cursors: Cursors,
  id: bigint,
  namespace: string,
  batchSize: number | undefined,
  time: number,
): Coroutine<Doc> {
  const cursor = cursors.open.get(id);
  if (cursor === undefined) throw new MongoFault("CursorNotFound", `cursor id ${id} not found`);
  if (cursor.namespace !== namespace)
    throw new MongoFault(
      "Unauthorized",
      `Requested getMore on namespace '${namespace}', but cursor belongs to a different namespace ${cursor.namespace}`,
    );
  if (cursor.isGone()) {
    cursors.open.delete(id);
    throw new MongoFault("QueryPlanKilled", `collection dropped or renamed: ${namespace}`);
  }
  if (cursor.isInUse) throw new MongoFault("CursorInUse", `cursor id ${id} is already in use`);
  cursor.lastUsed = time;
  cursor.isInUse = true;
  let batch: Batch;
  try {
    batch = yield* takeBatch(cursor.next, cursor.held, batchSize || Number.POSITIVE_INFINITY);
    cursor.held = batch.held;
    if (!batch.done) cursor.held ??= yield* nextOf(cursor.next);
  } catch (error) {
    // A cursor that failed cannot continue.
    cursors.open.delete(id);
    throw error;
  } finally {
    cursor.isInUse = false;
  }
  const { docs, done } = batch;
  let remaining = id;
  if (done || cursor.held === undefined) {
    cursors.open.delete(id);
    remaining = 0n;
  }
  return Doc.of(["cursor"], [Doc.of(["nextBatch", "id", "ns"], [docs, remaining, namespace])]);
}

export function sourceOf(docs: readonly Doc[]): Source {
  let at = 0;
  return () => (shouldYield() ? needYield : docs[at++]);
}

/** A cursor on a short list of documents. */
export function openList(cursors: Cursors, docs: readonly Doc[], options: CursorOptions): Doc {
  let at = 0;
  return runWithoutYield(openCursor(cursors, () => docs[at++], options));
}
