import type { Document } from "mongodb";
import type { Access } from "../access/access.ts";
import type { ObjectSchema } from "../schema/schema.ts";
import type { Target } from "./target.ts";

/** A record as callers see it. Moments are Dates until they are serialised. */
export type ApiRecord = { id: string } & Record<string, unknown>;

/** What a schema shows to an access, worked out once: both are cached by version, so their identity is the version. */
const visible = new WeakMap<Access, WeakMap<ObjectSchema, readonly string[]>>();

const visibleFields = ({ access, schema, object }: Target): readonly string[] => {
  let bySchema = visible.get(access);
  if (bySchema === undefined) {
    bySchema = new WeakMap();
    visible.set(access, bySchema);
  }
  let fields = bySchema.get(schema);
  if (fields === undefined) {
    fields = Object.keys(schema.properties).filter((name) => name !== "id" && access.fieldReadable(object, name));
    bySchema.set(schema, fields);
  }
  return fields;
};

/**
 * The fields of the schema that the caller may read, in its order; null where there is no value. What the schema no
 * longer has stays in the database unseen.
 */
export const shaper = (target: Target): ((document: Document) => ApiRecord) => {
  const fields = visibleFields(target);
  return (document) => {
    const record: ApiRecord = { id: document._id };
    for (const name of fields) record[name] = document[name] ?? null;
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
