import type { Document } from "mongodb";
import { filtered, type QueryForm, type SortKey } from "./form.ts";

/** What a row is ordered by, and so what the place of a row among all others is made of. */
export type KeyValue = string | number | boolean | Date | null;

export interface KeyedForm {
  readonly form: QueryForm;
  /** The values that the document, a result of the form, is ordered by; null if one of them cannot be compared. */
  keysOf(document: Document): KeyValue[] | null;
}

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

/** Joined records stand under names with underscores; no field's name begins with one. */
const isJoined = ({ place }: SortKey): boolean => place.startsWith("__");

const equalTo = (keys: readonly SortKey[], values: readonly KeyValue[]): Document => ({
  $and: keys.map(({ place }, index) => ({ [place]: values[index] })),
});

/**
 * The form that goes on behind a row with these keys, or null if they are not as many as its order has. Its rows must be
 * records or pairs of them.
 */
export const continuedBehind = (form: QueryForm, values: readonly KeyValue[]): QueryForm | null => {
  const { source, records, rows, order, enoughRecords } = form;
  const [first] = order;
  if (first === undefined || order.length !== values.length) return null;
  const bound = values.length > 1 && !isJoined(first) ? firstBound(first, values[0] as KeyValue) : [];
  const rest = rowsBehind(order, values);
  if (form.sortsRecords) return { ...form, records: filtered(records, [...bound, rest]) };
  const onRecords: Document[] = [];
  if (enoughRecords !== null) {
    // The record whose rows the page before ended in is read once more, beside as many as the page may need.
    const keys = enoughRecords.order;
    onRecords.push({ $or: [rowsBehind(keys, values), equalTo(keys, values)] });
  }
  // What is known of the records of FROM alone saves joining the others.
  if (source.index === 0) onRecords.push(...bound);
  return {
    ...form,
    // Behind the stages that remove what the caller may not see: a cursor's values are the caller's own.
    records: filtered(records, onRecords),
    rows: filtered(rows, [rest]),
    enoughRecords: enoughRecords && { ...enoughRecords, extra: 1 },
  };
};

const isKey = (value: unknown): value is KeyValue =>
  value === null ||
  typeof value === "string" ||
  typeof value === "boolean" ||
  value instanceof Date ||
  (typeof value === "number" && Number.isFinite(value));

/** Where the projection has a value already, or nothing. A record's `id` equals its `_id`. */
const slotIn = (projection: Document, place: string): string | undefined => {
  const stored = place === "_id" ? "id" : place;
  if (projection[stored] === 1) return stored;
  return Object.keys(projection).find((slot) => projection[slot] === `$${stored}`);
};

/** The form with the keys of its order in each result. Its rows must be records or pairs of them. */
export const withKeys = (form: QueryForm): KeyedForm => {
  const projection: Document = { ...form.projection };
  const slots = form.order.map(({ place }, index) => {
    const known = slotIn(projection, place);
    if (known !== undefined) return known;
    projection[`__k${index}`] = `$${place}`;
    return `__k${index}`;
  });
  const idSlot = slots[form.order.findIndex(({ place }) => place === "_id")];
  return {
    form: { ...form, projection },
    keysOf: (document) => {
      const values = slots.map((slot): unknown => document[slot] ?? null);
      // A record without an id of its own can only be counted.
      const isNamed = idSlot !== undefined && (document[idSlot] ?? null) !== null;
      return isNamed && values.every(isKey) ? values : null;
    },
  };
};
