import type { Document } from "mongodb";
import { type NameMask, nameMaskOf, withoutNames } from "#shared/data/access/access";
import { boundedCache, estimateBytes } from "#shared/foundation/bounded-cache";
import { replyMeter } from "#shared/foundation/reply-size";
import type { Target } from "./target.ts";

/** A record as callers see it. Moments are Dates until they are serialised. */
export type ApiRecord = { id: string } & Record<string, unknown>;

interface Visible {
  readonly fields: readonly string[];
  /** Those of the fields whose references do not show every name. */
  readonly masks: readonly (readonly [string, NameMask])[];
}

/** Accesses and schemas are cached by version, so their identity is the version. */
const numbers = new WeakMap<object, number>();
let lastNumber = 0;

const numberOf = (value: object): number => {
  const known = numbers.get(value);
  if (known !== undefined) return known;
  lastNumber += 1;
  numbers.set(value, lastNumber);
  return lastNumber;
};

/** What a schema shows to an access, worked out once. The fields' names are those of the schema. */
const visible = boundedCache<Visible>({
  mostBytes: 8 * 1024 * 1024,
  bytesOf: ({ fields, masks }) => 100 + 8 * fields.length + estimateBytes(masks),
});

const visibleOf = ({ access, schema, object }: Target): Visible => {
  const key = `${numberOf(access)}/${numberOf(schema)}`;
  const known = visible.get(key);
  if (known !== undefined) return known;
  const shown = Object.entries(schema.properties).filter(
    ([name]) => name !== "id" && access.fieldReadable(object, name),
  );
  const found: Visible = {
    fields: shown.map(([name]) => name),
    masks: shown.flatMap(([name, field]) => {
      const mask = nameMaskOf(field, access.named);
      return mask === null ? [] : [[name, mask] as const];
    }),
  };
  visible.set(key, found);
  return found;
};

/**
 * The fields of the schema that the caller may read, in its order; null where there is no value. What the schema no
 * longer has stays in the database unseen, and so do the names of records of objects that the caller may not read.
 */
export const shaper = (target: Target): ((document: Document) => ApiRecord) => {
  const { fields, masks } = visibleOf(target);
  return (document) => {
    const record: ApiRecord = { id: document._id };
    for (const name of fields) record[name] = document[name] ?? null;
    for (const [name, mask] of masks) record[name] = withoutNames(record[name], mask);
    return record;
  };
};

export interface Written {
  readonly records: ApiRecord[];
  /** The later records were too much for one answer and are given by their ids alone. */
  readonly truncated: boolean;
}

/** What was written, in order and in full number. */
export const writtenOf = (target: Target, documents: readonly Document[]): Written => {
  const records = documents.map(shaper(target));
  const ids = records.map(({ id }) => ({ id }));
  const fits = replyMeter(ids);
  const end = records.findIndex((record) => !fits(record));
  if (end < 0) return { records, truncated: false };
  return { records: [...records.slice(0, end), ...ids.slice(end)], truncated: true };
};
