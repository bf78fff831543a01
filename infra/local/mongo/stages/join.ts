import { findCollection, overlayFor } from "../execution/collections.ts";
import type { CommandContext } from "../execution/context.ts";
import { countWork } from "../foundation/budget.ts";
import type { Coroutine } from "../foundation/coroutine.ts";
import { unsupported } from "../foundation/fault.ts";
import type { Index } from "../index/index.ts";
import { point } from "../index/key-space.ts";
import { matchPath } from "../match/match-path.ts";
import { equalTest } from "../match/value-tests.ts";
import { type Remaining, visitRemaining, visitUntilYield } from "../query/execute.ts";
import type { Snapshot } from "../query/plan.ts";
import type { Collection } from "../storage/catalog.ts";
import { isView } from "../storage/views.ts";
import type { Collation } from "../values/collation.ts";
import type { Doc } from "../values/document.ts";
import { arrayIndex, splitPath } from "../values/paths.ts";
import type { Value } from "../values/types.ts";
import { type TemporaryIndex, temporaryIndex } from "./temporary-index.ts";

/** Finds the documents of a collection with one of some values in a field, in natural order. */
export type Join = (values: readonly Value[]) => Doc[] | Coroutine<Doc[]>;

export interface JoinTarget {
  readonly context: CommandContext;
  readonly db: string;
  readonly name: string;
  readonly path: string;
  readonly collation: Collation | undefined;
}

const fewRecords = 16;

export function joinOn(target: JoinTarget): Join {
  const { context, db, name, path, collation } = target;
  const parts = splitPath(path);
  const isAmbiguous = parts.some((part, i) => i > 0 && arrayIndex(part) >= 0);
  const index = indexFor(target);
  let calls = 0;
  return (values) => {
    calls++;
    const collection = findCollection(context, db, name);
    if (collection === undefined) return [];
    if (isView(collection)) throw unsupported("joining a view by localField");
    const isMatch = joinTest(values, parts, collation);
    const overlay = overlayFor(context, collection);
    const found = new Map<number, Doc>();
    const collect = (rid: number, doc: Doc): boolean => {
      countWork(values.length);
      if (!overlay?.has(rid) && !found.has(rid) && isMatch(doc)) found.set(rid, doc);
      return false;
    };
    // An array is not an index key. It is compared with the whole field.
    const mustScan = isAmbiguous || values.some((value) => Array.isArray(value));
    const isCheap = collection.records.size < fewRecords && calls < 8;
    const finish = (): Doc[] => {
      for (const [rid, doc] of overlay ?? []) if (doc !== null && isMatch(doc)) found.set(rid, doc);
      if (found.size < 2) return [...found.values()];
      return [...found].sort(([a], [b]) => a - b).map(([, doc]) => doc);
    };
    if (mustScan || isCheap) return visited((visit) => visitRecords(collection, visit), collect, finish);
    const visitWith =
      ({ index: chosen, snapshot }: Chosen) =>
      (visit: Visit): boolean =>
        visitEqual(chosen, recordsBehind(collection, snapshot, visit), values);
    const ready = index.ready(collection);
    if (ready !== undefined) return visited(visitWith(ready), collect, finish);
    return visitWithNewIndex(index.make(collection), visitWith, collect, finish);
  };
}

/** Usually a visit ends without yielding. A coroutine is needed only for one that does not. */
function visited(visit: (collect: Visit) => boolean, collect: Visit, finish: () => Doc[]): Doc[] | Coroutine<Doc[]> {
  const remaining = visitUntilYield(visit, collect);
  return remaining === undefined ? finish() : visitTheRest(remaining, collect, finish);
}

function* visitTheRest(remaining: Remaining, collect: Visit, finish: () => Doc[]): Coroutine<Doc[]> {
  yield* visitRemaining(remaining, collect);
  return finish();
}

function* visitWithNewIndex(
  making: Coroutine<Chosen>,
  visitWith: (chosen: Chosen) => (collect: Visit) => boolean,
  collect: Visit,
  finish: () => Doc[],
): Coroutine<Doc[]> {
  const remaining = visitUntilYield(visitWith(yield* making), collect);
  if (remaining !== undefined) yield* visitRemaining(remaining, collect);
  return finish();
}

/** Whether the field of a document equals one of the values. */
export function joinTest(
  values: readonly Value[],
  parts: readonly string[],
  collation: Collation | undefined,
): (doc: Doc) => boolean {
  const tests = values.map((value) => equalTest(value, collation?.order));
  return (doc) => tests.some((test) => matchPath(doc, parts, 0, test, true));
}

type Visit = (rid: number, doc: Doc) => boolean;

function visitRecords({ records }: Collection, visit: Visit): boolean {
  for (const [rid, doc] of records) visit(rid, doc);
  return false;
}

/** Resolves the entries of an index: record numbers, or positions in a snapshot. */
function recordsBehind(
  { records }: Collection,
  snapshot: Snapshot | undefined,
  visit: Visit,
): (entry: number) => boolean {
  if (snapshot !== undefined) return (at) => visit(snapshot.rids[at] as number, snapshot.docs[at] as Doc);
  return (rid) => visit(rid, records.get(rid) as Doc);
}

function visitEqual(index: Index, visit: (entry: number) => boolean, values: readonly Value[]): boolean {
  index.accesses++;
  for (const value of values) {
    const { low, high } = index.space.range([], point(value));
    index.list.scan(low, high, visit);
  }
  return false;
}

interface Chosen {
  readonly index: Index;
  readonly snapshot: Snapshot | undefined;
}

/** The collection's own index on the path, or one built for the join. */
function indexFor({ path, collation }: JoinTarget): {
  ready(collection: Collection): Chosen | undefined;
  make(collection: Collection): Coroutine<Chosen>;
} {
  let made: (TemporaryIndex & { readonly collection: Collection }) | undefined;
  return {
    ready(collection) {
      const own = ownIndex(collection, path, collation);
      if (own !== undefined) return { index: own, snapshot: undefined };
      return made?.collection === collection ? made : undefined;
    },
    *make(collection) {
      made = { ...(yield* temporaryIndex(collection, path, collation)), collection };
      return made;
    },
  };
}

function ownIndex(collection: Collection, path: string, collation: Collation | undefined): Index | undefined {
  return collection.indexes.find(
    (index) =>
      index.components[0]?.path === path &&
      index.partial === undefined &&
      !index.sparse &&
      !index.hidden &&
      index.collation?.name === collation?.name,
  );
}
