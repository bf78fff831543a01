import type { Collation } from "../collation.ts";
import { findCollection, type Operating, overlayFor } from "../engine.ts";
import { unsupported } from "../fault.ts";
import type { Index } from "../index/index.ts";
import { point } from "../index/key-space.ts";
import { equalTest } from "../match/tests.ts";
import { matchPath } from "../match/walk.ts";
import { checkDeadline } from "../query/execute.ts";
import type { Collection } from "../storage/catalog.ts";
import { isView } from "../storage/views.ts";
import type { Doc } from "../values/document.ts";
import { arrayIndex, splitPath } from "../values/paths.ts";
import type { Value } from "../values/types.ts";
import { temporaryIndex } from "./temporary-index.ts";

/** Finds the documents of a collection whose field equals one of some values, in natural order. */
export type Join = (values: readonly Value[]) => Doc[];

export function joinOn(
  operating: Operating,
  db: string,
  name: string,
  path: string,
  collation: Collation | undefined,
): Join {
  const parts = splitPath(path);
  const ambiguous = parts.some((part, i) => i > 0 && arrayIndex(part) >= 0);
  let index: Index | undefined;
  let madeAt = -1;
  let calls = 0;
  return (values) => {
    if ((++calls & 63) === 0) checkDeadline(operating.deadline);
    const collection = findCollection(operating, db, name);
    if (collection === undefined) return [];
    if (isView(collection)) throw unsupported("joining a view by localField");
    const tests = values.map((value) => equalTest(value, collation?.order));
    const isMatch = (doc: Doc): boolean => tests.some((test) => matchPath(doc, parts, 0, test, true));
    // An array is not a key of an index; it is compared with the whole field.
    const mustScan = ambiguous || values.some((value) => Array.isArray(value));
    const found = new Map<number, Doc>();
    const overlay = overlayFor(operating, collection);
    const take = (rid: number): boolean => {
      const doc = collection.records.get(rid);
      if (doc !== undefined && !overlay?.has(rid) && !found.has(rid) && isMatch(doc)) found.set(rid, doc);
      return false;
    };
    if (mustScan || (collection.records.size < 16 && calls < 8)) for (const rid of collection.records.keys()) take(rid);
    else {
      const own = indexOn(collection, path, collation);
      if (own === undefined && (index === undefined || madeAt !== operating.engine.timeline.now)) {
        index = temporaryIndex(collection, path, collation);
        madeAt = operating.engine.timeline.now;
      }
      const used = own ?? (index as Index);
      used.accesses++;
      for (const value of values) {
        const { low, high } = used.space.range([], point(value));
        used.list.scan(low, high, take);
      }
    }
    for (const [rid, doc] of overlay ?? []) if (doc !== null && isMatch(doc)) found.set(rid, doc);
    if (found.size < 2) return [...found.values()];
    return [...found].sort(([a], [b]) => a - b).map(([, doc]) => doc);
  };
}

function indexOn(collection: Collection, path: string, collation: Collation | undefined): Index | undefined {
  return collection.indexes.find(
    (index) =>
      index.components[0]?.path === path &&
      index.partial === undefined &&
      !index.sparse &&
      !index.hidden &&
      index.collation?.name === collation?.name,
  );
}
