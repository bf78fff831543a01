import type { Document } from "mongodb";
import { joinSlot } from "../analyze/column.ts";

/** What a row is ordered by, and so what the place of a row among all others is made of. */
export type KeyValue = string | number | boolean | Date | null;

export interface KeyedPipeline {
  readonly pipeline: Document[];
  /** The values that the document, a result of the pipeline, is ordered by; null if one of them cannot be compared. */
  keysOf(document: Document): KeyValue[] | null;
}

interface SortKey {
  readonly place: string;
  readonly descending: boolean;
}

const keyName = (stage: Document): string => Object.keys(stage)[0] ?? "";

/** The ids of the records that a stage adds to each row. The first object's stand by themselves, also if it comes later. */
const joinedIds = (stage: Document): string[] => {
  const path: unknown = stage.$unwind?.path ?? stage.$unwind;
  if (typeof path !== "string") return [];
  return [path === `$${joinSlot(0)}` ? "_id" : `${path.slice(1)}._id`];
};

interface Order {
  /** Where the `$sort` stands. */
  readonly at: number;
  readonly keys: readonly SortKey[];
  /** A cut of the first object's records before others are joined to them, by the first of the keys. */
  readonly early: { readonly at: number; readonly keys: readonly SortKey[] } | null;
}

const isSort = (stage: Document): boolean => keyName(stage) === "$sort";

const sortKeys = (stage: Document | undefined): SortKey[] =>
  Object.entries((stage?.$sort ?? {}) as Document).map(([place, way]) => ({ place, descending: way === -1 }));

const isPrefix = (some: readonly SortKey[], all: readonly SortKey[]): boolean =>
  some.every(({ place, descending }, index) => all[index]?.place === place && all[index].descending === descending);

/** The order of a pipeline's rows, if it puts each in a place of its own: by `_id` and those of all that is joined. */
const totalOrder = (pipeline: readonly Document[]): Order | null => {
  const at = pipeline.findLastIndex(isSort);
  const keys = sortKeys(pipeline[at]);
  const places = new Set(keys.map(({ place }) => place));
  const joined = pipeline.slice(0, Math.max(at, 0)).flatMap(joinedIds);
  if (!["_id", ...joined].every((place) => places.has(place))) return null;
  const first = pipeline.findIndex(isSort);
  if (first === at) return { at, keys, early: null };
  const early = { at: first, keys: sortKeys(pipeline[first]) };
  const isCut = keyName(pipeline[first + 1] ?? {}) === "$limit" && early.keys.some(({ place }) => place === "_id");
  const others = pipeline.slice(first + 1, at).some(isSort);
  return isCut && !others && isPrefix(early.keys, keys) ? { at, keys, early } : null;
};

/** The rows whose value comes after `value`, or null if none does. NULL is the least of all values. */
const behind = ({ place, descending }: SortKey, value: KeyValue): Document | null => {
  if (!descending) return { [place]: value === null ? { $ne: null } : { $gt: value } };
  return value === null ? null : { $or: [{ [place]: { $lt: value } }, { [place]: null }] };
};

/** Behind by the first key, or equal and behind by the second, and so on. */
const rowsBehind = (keys: readonly SortKey[], values: readonly KeyValue[]): Document => {
  const alternatives: Document[] = [];
  const equal: Document[] = [];
  for (const [index, key] of keys.entries()) {
    const value = values[index] as KeyValue;
    const next = behind(key, value);
    if (next !== null) alternatives.push(equal.length === 0 ? next : { $and: [...equal, next] });
    equal.push({ [key.place]: value });
  }
  return alternatives.length === 1 ? (alternatives[0] as Document) : { $or: alternatives };
};

/** What is true of all those rows and concerns the first key alone, so that an index can serve it. */
const firstBound = ({ place, descending }: SortKey, value: KeyValue): Document[] => {
  if (!descending) return value === null ? [] : [{ [place]: { $gte: value } }];
  return [value === null ? { [place]: null } : { $or: [{ [place]: { $lte: value } }, { [place]: null }] }];
};

const matching = (pipeline: readonly Document[], at: number, filters: readonly Document[]): Document[] => {
  const before = pipeline[at - 1];
  const merges = before !== undefined && keyName(before) === "$match";
  const all = [...(merges ? [before.$match as Document] : []), ...filters];
  const stage = { $match: all.length === 1 ? all[0] : { $and: all } };
  return [...pipeline.slice(0, merges ? at - 1 : at), stage, ...pipeline.slice(at)];
};

/** Joined records stand under names with underscores; no field's name begins with one. */
const isJoined = ({ place }: SortKey): boolean => place.startsWith("__");

const equalTo = (keys: readonly SortKey[], values: readonly KeyValue[]): Document => ({
  $and: keys.map(({ place }, index) => ({ [place]: values[index] })),
});

/**
 * The early cut of a continued pipeline. The record whose rows the page before ended in is looked at once more, beside as
 * many as the page may need.
 */
const withEarlyCut = (
  pipeline: readonly Document[],
  { at, keys }: NonNullable<Order["early"]>,
  values: readonly KeyValue[],
): Document[] => {
  const limit: number = pipeline[at + 1]?.$limit;
  const widened = pipeline.toSpliced(at + 1, 1, { $limit: limit + 1 });
  return matching(widened, at, [{ $or: [rowsBehind(keys, values), equalTo(keys, values)] }]);
};

/** The pipeline that goes on behind a row with these keys, or null if its order cannot be continued so. */
export const continuedBehind = (pipeline: readonly Document[], values: readonly KeyValue[]): Document[] | null => {
  const order = totalOrder(pipeline);
  if (order === null || order.keys.length !== values.length) return null;
  const [first] = order.keys as [SortKey, ...SortKey[]];
  const bound = values.length > 1 && !isJoined(first) ? firstBound(first, values[0] as KeyValue) : [];
  const rest = rowsBehind(order.keys, values);
  const before = pipeline.slice(0, order.at).map(keyName);
  if (!before.includes("$lookup")) return matching(pipeline, order.at, [...bound, rest]);
  const joined = matching(pipeline, order.at, [rest]);
  const cut = order.early === null ? joined : withEarlyCut(joined, order.early, values);
  // What is known of the first object's records alone saves joining the others.
  const beginsElsewhere = before.includes("$replaceWith");
  if (beginsElsewhere || bound.length === 0) return cut;
  // Behind the stages that take away what the caller does not see: a cursor's values are the caller's own.
  const start = cut.findIndex((stage) => !["$match", "$set"].includes(keyName(stage)));
  return matching(cut, Math.max(start, 0), bound);
};

const isKey = (value: unknown): value is KeyValue =>
  value === null ||
  typeof value === "string" ||
  typeof value === "boolean" ||
  value instanceof Date ||
  (typeof value === "number" && Number.isFinite(value));

/** Where the last stage keeps a value already, or nothing. A record's `id` equals its `_id`. */
const slotIn = (project: Document, place: string): string | undefined => {
  const stored = place === "_id" ? "id" : place;
  if (project[stored] === 1) return stored;
  return Object.keys(project).find((slot) => project[slot] === `$${stored}`);
};

/** The pipeline with the keys of its order in each result, or null if it has no order that could be continued. */
export const withKeys = (pipeline: readonly Document[]): KeyedPipeline | null => {
  const order = totalOrder(pipeline);
  const project: unknown = pipeline.at(-1)?.$project;
  if (order === null || typeof project !== "object" || project === null) return null;
  const fields: Document = { ...project };
  const slots = order.keys.map(({ place }, index) => {
    const known = slotIn(fields, place);
    if (known !== undefined) return known;
    fields[`__k${index}`] = `$${place}`;
    return `__k${index}`;
  });
  return {
    pipeline: [...pipeline.slice(0, -1), { $project: fields }],
    keysOf: (document) => {
      const values = slots.map((slot): unknown => document[slot] ?? null);
      // A record without an id of its own can only be counted.
      const named = values[order.keys.findIndex(({ place }) => place === "_id")] !== null;
      return named && values.every(isKey) ? values : null;
    },
  };
};
