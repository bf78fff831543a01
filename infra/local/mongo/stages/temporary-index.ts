import { shouldYield } from "../foundation/budget.ts";
import { type Coroutine, sortYielding } from "../foundation/coroutine.ts";
import { type Index, keysOf } from "../index/index.ts";
import { readIndex } from "../index/specification.ts";
import type { Constraint } from "../query/constraints.ts";
import type { Plan, Snapshot } from "../query/plan.ts";
import type { Collection } from "../storage/catalog.ts";
import type { Collation } from "../values/collation.ts";
import { Doc } from "../values/document.ts";

/**
 * An index with a snapshot of its records. Its entries are positions in the snapshot, so later writes do not affect it.
 */
export interface TemporaryIndex {
  readonly index: Index;
  readonly snapshot: Snapshot;
}

/** An index on one path for the time of a pipeline: a join uses it if the collection has none. */
export function* temporaryIndex(
  collection: Collection,
  path: string,
  collation: Collation | undefined,
): Coroutine<TemporaryIndex> {
  const index = readIndex(Doc.from({ v: 2, key: Doc.of([path], [1]), name: path, collation: collation?.spec }));
  const snapshot: Snapshot = { rids: [...collection.records.keys()], docs: [...collection.records.values()] };
  const entries: Parameters<typeof index.list.load>[0] = [];
  const onArray = (): void => {
    index.multikey[0] = true;
  };
  for (let at = 0; at < snapshot.docs.length; at++) {
    if (shouldYield()) yield;
    for (const key of keysOf(index, snapshot.docs[at] as Doc, onArray)) entries.push({ key, rid: at });
  }
  index.list.load(yield* sortYielding(entries, (a, b) => index.space.compare(a.key, b.key) || a.rid - b.rid));
  return { index, snapshot };
}

const worthwhile = 64;

/**
 * A pipeline that is opened many times (once for each document of a $lookup) and scans each time gets a temporary index
 * at its second opening.
 */
export function temporaryIndexes(): {
  improve(
    collection: Collection,
    collation: Collation | undefined,
    constraints: () => readonly Constraint[],
  ): Coroutine<Plan | undefined>;
} {
  let opened = 0;
  let made: (TemporaryIndex & { readonly path: string; readonly collection: Collection }) | undefined;
  return {
    *improve(collection, collation, constraints) {
      opened++;
      if (opened < 2 || collection.records.size < worthwhile) return undefined;
      for (const { path, points } of constraints()) {
        if (points?.length !== 1 || path.startsWith("$") || /\.\d+(?:\.|$)/.test(path)) continue;
        if (made === undefined || made.path !== path || made.collection !== collection)
          made = { ...(yield* temporaryIndex(collection, path, collation)), path, collection };
        const { index, snapshot } = made;
        const edge = { at: "value", value: points[0], inclusive: true } as const;
        return {
          kind: "index",
          index,
          ranges: [index.space.range([], { low: edge, high: edge })],
          backward: false,
          sorted: false,
          estimate: 1,
          snapshot,
        };
      }
      return undefined;
    },
  };
}
