import { MongoFault } from "../foundation/fault.ts";
import { matchPath } from "../match/match-path.ts";
import type { Matcher } from "../match/matcher.ts";
import type { Collation } from "../values/collation.ts";
import { Doc } from "../values/document.ts";
import { arrayIndex, collectKeys } from "../values/paths.ts";
import type { Maybe } from "../values/types.ts";
import { binaryKeySpace, collatedKeySpace, type KeySpace } from "./key-space.ts";
import { SortedList } from "./sorted-list.ts";

export interface Component {
  readonly path: string;
  readonly parts: readonly string[];
  readonly direction: 1 | -1;
}

/** Without a collation a key is a string, otherwise the values. Only the index distinguishes them. */
export type Key = string | readonly Maybe[];

export interface Index {
  readonly name: string;
  readonly spec: Doc;
  readonly components: readonly Component[];
  readonly unique: boolean;
  readonly sparse: boolean;
  readonly partial: { readonly filter: Doc; readonly matches: Matcher } | undefined;
  readonly collation: Collation | undefined;
  readonly expireAfterSeconds: number | undefined;
  readonly hidden: boolean;
  readonly space: KeySpace<Key>;
  readonly list: SortedList<Key>;
  /** Components that had an array in some document since the index was created. */
  readonly multikey: boolean[];
  /** Keys of documents that transactions have not committed. Unique indexes only. */
  readonly pending: SortedList<Key>;
  accesses: number;
  readonly since: number;
}

type Parts = Pick<
  Index,
  | "name"
  | "spec"
  | "components"
  | "unique"
  | "sparse"
  | "partial"
  | "collation"
  | "expireAfterSeconds"
  | "hidden"
  | "since"
>;

export function newIndex(parts: Parts): Index {
  const directions = parts.components.map((component) => component.direction);
  const space = (parts.collation === undefined
    ? binaryKeySpace(directions)
    : collatedKeySpace(directions, parts.collation.order)) as unknown as KeySpace<Key>;
  return {
    ...parts,
    space,
    list: new SortedList(space.compare),
    pending: new SortedList(space.compare),
    multikey: parts.components.map(() => false),
    accesses: 0,
  };
}

/** The keys of a document in an index. `onArray` is called for components that have an array. */
export function keysOf(index: Index, doc: Doc, onArray?: (component: number) => void): Key[] {
  if (index.partial !== undefined && !index.partial.matches(doc)) return [];
  const { components, space } = index;
  if (index.sparse && !components.some(({ parts }) => matchPath(doc, parts, 0, (value) => value !== undefined, false)))
    return [];
  const [only] = components;
  if (components.length === 1 && only !== undefined) {
    if (only.parts.length === 1) {
      const value = doc.get(only.path);
      if (!Array.isArray(value)) return [space.key([value === undefined ? null : value])];
    }
    const values: Maybe[] = [];
    if (collectKeys(doc, only.parts, 0, values)) onArray?.(0);
    return distinct(
      index,
      values.map((value) => space.key([value])),
    );
  }
  const keys: Key[] = [];
  expand(
    index,
    components.map(({ parts }) => ({ value: doc, at: 0, parts })),
    keys,
    onArray,
  );
  return distinct(index, keys);
}

function distinct(index: Index, keys: Key[]): Key[] {
  if (keys.length < 2) return keys;
  const sorted = keys.sort(index.space.compare);
  return sorted.filter((key, i) => i === 0 || index.space.compare(sorted[i - 1] as Key, key) !== 0);
}

interface Cursor {
  value: Maybe;
  at: number;
  parts: readonly string[];
  /** An element of an array at the end of the path: a value of any type. */
  done?: boolean;
}

/** Components that share an array advance together. Two different arrays of one document cannot both be indexed. */
function expand(index: Index, cursors: readonly Cursor[], keys: Key[], onArray?: (component: number) => void): void {
  for (const cursor of cursors) advance(cursor);
  const arrays = cursors.filter((cursor) => !cursor.done && Array.isArray(cursor.value));
  const [first] = arrays;
  if (first === undefined) {
    keys.push(index.space.key(cursors.map(({ value }) => value)));
    return;
  }
  const prefix = prefixOf(first);
  for (const cursor of arrays) {
    if (prefixOf(cursor) !== prefix) {
      throw new MongoFault(
        "CannotIndexParallelArrays",
        `cannot index parallel arrays [${last(cursor)}] [${last(first)}]`,
      );
    }
    onArray?.(cursors.indexOf(cursor));
  }
  const items = first.value as readonly Maybe[];
  const together = (item: Maybe, empty: boolean): Cursor[] =>
    cursors.map((cursor) => {
      if (!arrays.includes(cursor)) return { ...cursor, done: true };
      if (cursor.at === cursor.parts.length) return { ...cursor, value: empty ? emptyArray : item, done: true };
      if (item instanceof Doc) return { ...cursor, value: item };
      const position = arrayIndex(cursor.parts[cursor.at] as string);
      if (position >= 0 && position < items.length) return { ...cursor, value: items[position], at: cursor.at + 1 };
      return { ...cursor, value: null, done: true };
    });
  if (items.length === 0) expand(index, together(undefined, true), keys, onArray);
  for (const item of items) expand(index, together(item, false), keys, onArray);
}

/** The key of an empty array, which differs from that of a missing field. */
const emptyArray = undefined;

function advance(cursor: Cursor): void {
  if (cursor.done) return;
  while (cursor.at < cursor.parts.length && cursor.value instanceof Doc) {
    cursor.value = cursor.value.get(cursor.parts[cursor.at] as string);
    cursor.at++;
  }
  if (cursor.at < cursor.parts.length && !Array.isArray(cursor.value)) {
    cursor.value = null;
    cursor.done = true;
  } else if (!Array.isArray(cursor.value)) {
    cursor.value ??= null;
    cursor.done = true;
  }
}

const prefixOf = (cursor: Cursor): string => cursor.parts.slice(0, cursor.at).join(".");
const last = (cursor: Cursor): string => cursor.parts[cursor.at - 1] ?? "";

/** Another record that already has the key, or -1. */
export function holderOf(index: Index, list: SortedList<Key>, key: Key, ownRid: number): number {
  let holder = -1;
  list.scan(
    (other) => index.space.compare(other, key) < 0,
    (other) => index.space.compare(other, key) <= 0,
    (rid) => {
      if (rid === ownRid) return false;
      holder = rid;
      return true;
    },
  );
  return holder;
}
