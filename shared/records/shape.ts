import type { Document } from "mongodb";
import { type Access, type NameMask, nameMaskOf, withoutNames } from "../access/access.ts";
import type { ObjectSchema } from "../schema/schema.ts";
import type { Target } from "./target.ts";

/** A record as callers see it. Moments are Dates until they are serialised. */
export type ApiRecord = { id: string } & Record<string, unknown>;

interface Visible {
  readonly fields: readonly string[];
  /** Those of the fields whose references do not show every name. */
  readonly masks: readonly (readonly [string, NameMask])[];
}

/** What a schema shows to an access, worked out once: both are cached by version, so their identity is the version. */
const visible = new WeakMap<Access, WeakMap<ObjectSchema, Visible>>();

const visibleOf = ({ access, schema, object }: Target): Visible => {
  let bySchema = visible.get(access);
  if (bySchema === undefined) {
    bySchema = new WeakMap();
    visible.set(access, bySchema);
  }
  const known = bySchema.get(schema);
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
  bySchema.set(schema, found);
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

/** Bytes of JSON that an answer's records may have together (contract: a reply never exceeds 5 MB). */
export const MOST_BYTES = 5_000_000;

const bytesOf = (record: ApiRecord): number => Buffer.byteLength(JSON.stringify(record)) + 1;

/** The records that fit into one answer, from the first on. */
export const fitting = (records: readonly ApiRecord[], budget: { bytes: number }): ApiRecord[] => {
  const kept: ApiRecord[] = [];
  for (const record of records) {
    budget.bytes -= bytesOf(record);
    if (budget.bytes < 0) break;
    kept.push(record);
  }
  return kept;
};

export interface Written {
  readonly records: ApiRecord[];
  /** The later records were too much for one answer and are given by their ids alone. */
  readonly truncated: boolean;
}

/** What was written, in order and in full number. */
export const writtenOf = (target: Target, documents: readonly Document[]): Written => {
  const records = documents.map(shaper(target));
  const kept = fitting(records, { bytes: MOST_BYTES });
  if (kept.length === records.length) return { records, truncated: false };
  return { records: [...kept, ...records.slice(kept.length).map(({ id }) => ({ id }))], truncated: true };
};
