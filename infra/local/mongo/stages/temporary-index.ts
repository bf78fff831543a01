import type { Collation } from "../collation.ts";
import type { Engine } from "../engine.ts";
import { type Index, keysOf } from "../index/index.ts";
import { readIndex } from "../index/specification.ts";
import type { Constraint } from "../query/constraints.ts";
import type { Plan } from "../query/plan.ts";
import type { Collection } from "../storage/catalog.ts";
import { Doc } from "../values/document.ts";

/** An index on one path that lives as long as a pipeline: what a join uses where the collection has none. */
export function temporaryIndex(collection: Collection, path: string, collation: Collation | undefined): Index {
  const index = readIndex(Doc.from({ v: 2, key: Doc.of([path], [1]), name: path, collation: collation?.spec }));
  const entries: Parameters<typeof index.list.load>[0] = [];
  const onArray = (): void => {
    index.multikey[0] = true;
  };
  for (const [rid, doc] of collection.records)
    for (const key of keysOf(index, doc, onArray)) entries.push({ key, rid });
  index.list.load(entries);
  return index;
}

const worthwhile = 64;

/**
 * A pipeline that is opened again and again (once for each document of a $lookup) and scans each time gets an index of
 * its own at the second opening. It is thrown away as soon as anything was written.
 */
export function temporaryIndexes(): {
  improve(
    engine: Engine,
    collection: Collection,
    collation: Collation | undefined,
    constraints: () => readonly Constraint[],
  ): Plan | undefined;
} {
  let opened = 0;
  let made: { readonly index: Index; readonly path: string; readonly time: number } | undefined;
  return {
    improve(engine, collection, collation, constraints) {
      opened++;
      if (opened < 2 || collection.records.size < worthwhile) return undefined;
      const time = engine.timeline.now;
      for (const { path, points } of constraints()) {
        if (points?.length !== 1 || path.startsWith("$") || /\.\d+(?:\.|$)/.test(path)) continue;
        if (made === undefined || made.path !== path || made.time !== time)
          made = { path, time, index: temporaryIndex(collection, path, collation) };
        const { index } = made;
        const edge = { at: "value", value: points[0], inclusive: true } as const;
        return {
          kind: "index",
          index,
          ranges: [index.space.range([], { low: edge, high: edge })],
          backward: false,
          sorted: false,
          estimate: 1,
        };
      }
      return undefined;
    },
  };
}
