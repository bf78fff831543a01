import type { Document } from "mongodb";
import { filtered, type QueryForm, type SortKey } from "./form.ts";

/** The values that a row is sorted by, which are its position among all rows. */
export type KeyValue = string | number | boolean | Date | null;

export interface KeyedForm {
  readonly form: QueryForm;
  /** The sort values of a result document; null if one of them cannot be compared. */
  keysOf(document: Document): KeyValue[] | null;
}

/** The rows whose value comes after `value`; null if there are none. NULL is the smallest value. */
const after = ({ path, descending }: SortKey, value: KeyValue): Document | null => {
  if (!descending) return { [path]: value === null ? { $ne: null } : { $gt: value } };
  return value === null ? null : { $or: [{ [path]: { $lt: value } }, { [path]: null }] };
};

/** After the position by the first key, or equal and after by the second, and so on. */
const rowsBehind = (keys: readonly SortKey[], values: readonly KeyValue[]): Document => {
  const alternatives: Document[] = [];
  const equal: Document[] = [];
  for (const [index, key] of keys.entries()) {
    const value = values[index] as KeyValue;
    const next = after(key, value);
    if (next !== null) alternatives.push(equal.length === 0 ? next : { $and: [...equal, next] });
    equal.push({ [key.path]: value });
  }
  return alternatives.length === 1 ? (alternatives[0] as Document) : { $or: alternatives };
};

/** A condition on the first key alone that holds for all those rows, so that an index can be used. */
const firstBound = ({ path, descending }: SortKey, value: KeyValue): Document[] => {
  if (!descending) return value === null ? [] : [{ [path]: { $gte: value } }];
  return [value === null ? { [path]: null } : { $or: [{ [path]: { $lte: value } }, { [path]: null }] }];
};

/** Joined records have keys with an underscore, which no field has. */
const isJoined = ({ path }: SortKey): boolean => path.startsWith("__");

const equalTo = (keys: readonly SortKey[], values: readonly KeyValue[]): Document => ({
  $and: keys.map(({ path }, index) => ({ [path]: values[index] })),
});

/**
 * The form for the rows after these keys; null if the number of keys does not match the order. Its rows must be records
 * or pairs of them.
 */
export const continuedAfter = (form: QueryForm, values: readonly KeyValue[]): QueryForm | null => {
  const { source, records, rows, order, enoughRecords } = form;
  const [first] = order;
  if (first === undefined || order.length !== values.length) return null;
  const bound = values.length > 1 && !isJoined(first) ? firstBound(first, values[0] as KeyValue) : [];
  const rest = rowsBehind(order, values);
  if (form.sortsRecords) return { ...form, records: filtered(records, [...bound, rest]) };
  const onRecords: Document[] = [];
  if (enoughRecords !== null) {
    // The record in whose rows the last page ended is read once more, in addition to the page.
    const keys = enoughRecords.order;
    onRecords.push({ $or: [rowsBehind(keys, values), equalTo(keys, values)] });
  }
  // A condition on the records of FROM alone reduces the joins.
  if (source.index === 0) onRecords.push(...bound);
  return {
    ...form,
    // After the stages that remove what the caller may not see, because callers choose a cursor's values.
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

/** The path of a value that the projection has already, if any. A record's `id` equals its `_id`. */
const projectedKey = (projection: Document, path: string): string | undefined => {
  const stored = path === "_id" ? "id" : path;
  if (projection[stored] === 1) return stored;
  return Object.keys(projection).find((resultKey) => projection[resultKey] === `$${stored}`);
};

/** The form with its sort keys in each result. Its rows must be records or pairs of them. */
export const withKeys = (form: QueryForm): KeyedForm => {
  const projection: Document = { ...form.projection };
  const resultKeys = form.order.map(({ path }, index) => {
    const known = projectedKey(projection, path);
    if (known !== undefined) return known;
    projection[`__k${index}`] = `$${path}`;
    return `__k${index}`;
  });
  const idKey = resultKeys[form.order.findIndex(({ path }) => path === "_id")];
  return {
    form: { ...form, projection },
    keysOf: (document) => {
      const values = resultKeys.map((resultKey): unknown => document[resultKey] ?? null);
      // Records without a string `_id` are paged by number.
      const isNamed = idKey !== undefined && (document[idKey] ?? null) !== null;
      return isNamed && values.every(isKey) ? values : null;
    },
  };
};
