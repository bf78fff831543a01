import { countMemory } from "../foundation/budget.ts";
import { type Coroutine, sortYielding } from "../foundation/coroutine.ts";
import { badValue, MongoFault, unsupported } from "../foundation/fault.ts";
import { compare, type StringOrder } from "./compare.ts";
import { Doc } from "./document.ts";
import { toInteger } from "./numbers.ts";
import { collectKeys, readPlain, splitPath } from "./paths.ts";
import type { Maybe } from "./types.ts";

export interface SortField {
  readonly path: string;
  readonly parts: readonly string[];
  readonly direction: 1 | -1;
}

export function readSort(spec: Maybe, what = "sort"): SortField[] {
  if (spec === undefined) return [];
  if (!(spec instanceof Doc)) throw new MongoFault("TypeMismatch", `Expected field ${what} to be of type object`);
  if (spec.size > 32) throw badValue("too many compound keys");
  return spec.keys.map((path, i) => {
    const value = spec.values[i];
    if (value instanceof Doc && value.has("$meta")) throw unsupported("sorting by $meta");
    const direction = toInteger(value);
    if (direction !== 1 && direction !== -1)
      throw new MongoFault("Location15975", "$sort key ordering must be 1 (for ascending) or -1 (for descending)");
    if (path === "" || path.split(".").includes(""))
      throw new MongoFault("Location15998", "FieldPath field names may not be empty strings.");
    if (path.startsWith("$") && path !== "$natural")
      throw new MongoFault("Location16410", "FieldPath field names may not start with '$'.");
    return { path, parts: splitPath(path), direction };
  });
}

/** An array sorts by its least element in ascending order and by its greatest one in descending order. */
function sortValue(doc: Maybe, field: SortField, order: StringOrder | undefined): Maybe {
  if (field.parts.length === 1 && doc instanceof Doc) {
    const value = doc.get(field.path);
    if (!Array.isArray(value)) return value ?? null;
  }
  const values: Maybe[] = [];
  collectKeys(doc, field.parts, 0, values);
  let best = values[0];
  for (let i = 1; i < values.length; i++) if (compare(values[i], best, order) * field.direction < 0) best = values[i];
  return best;
}

/** The sort key of an array element. An array at the path counts as a whole, and only documents have fields. */
export const elementKey = (item: Maybe, fields: readonly SortField[]): SortKey =>
  fields.map(({ parts }) => (item instanceof Doc ? readPlain(item, parts) : null) ?? null);

export type SortKey = readonly Maybe[];

export const sortKey = (doc: Maybe, fields: readonly SortField[], order: StringOrder | undefined): SortKey =>
  fields.map((field) => sortValue(doc, field, order));

export function compareSortKeys(
  fields: readonly SortField[],
  order: StringOrder | undefined,
): (a: SortKey, b: SortKey) => number {
  return (a, b) => {
    for (let i = 0; i < fields.length; i++) {
      const result = compare(a[i], b[i], order);
      if (result !== 0) return result * (fields[i] as SortField).direction;
    }
    return 0;
  };
}

/** Up to this limit entries that cannot be in the result are dropped early. This takes little time and cannot yield. */
const longestCut = 2_000;
const bytesOfEntry = 96;

/** Collects items and returns them in order. With a small limit it never keeps more than about twice as many. */
export function sorter<T>(
  fields: readonly SortField[],
  order: StringOrder | undefined,
  limit: number | undefined,
): { add(doc: Maybe, item: T): void; done(): Coroutine<T[]> } {
  let entries: { key: SortKey; at: number; item: T }[] = [];
  let count = 0;
  const byKey = compareSortKeys(fields, order);
  const byOrder = (a: { key: SortKey; at: number }, b: { key: SortKey; at: number }): number =>
    byKey(a.key, b.key) || a.at - b.at;
  let worst: SortKey | undefined;
  const cut = (limit: number): void => {
    entries.sort(byOrder);
    if (entries.length <= limit) return;
    entries = entries.slice(0, limit);
    worst = entries[limit - 1]?.key;
  };
  return {
    add(doc, item) {
      const key = sortKey(doc, fields, order);
      if (worst !== undefined && byKey(key, worst) >= 0) return;
      entries.push({ key, at: count++, item });
      if (limit === undefined || limit > longestCut) countMemory(bytesOfEntry);
      if (limit !== undefined && limit <= longestCut && entries.length >= 2 * limit + 64) cut(limit);
    },
    *done() {
      const sorted = yield* sortYielding(entries, byOrder);
      return (limit === undefined ? sorted : sorted.slice(0, limit)).map((entry) => entry.item);
    },
  };
}
