import type { Document } from "mongodb";
import { READERS_FIELD, readersOf } from "./readers.ts";

/** A reference in a record. */
export interface RecordReference {
  readonly id: string;
  readonly schema: string;
  readonly name: string;
}

/** Creator and owner of what the platform itself writes. */
export const PLATFORM = { id: "platform", schema: "user", name: "Platform" } as const;

/** Characters of the name of a record. */
export const LONGEST_NAME = 200;

export type NewRecord = Document & { _id: string; id: string };

interface Creation {
  readonly by: RecordReference;
  readonly at: Date;
  /** The creator unless given. */
  readonly owner?: unknown;
  /** Nobody unless given. */
  readonly shared_with?: unknown;
}

/** A record as it is first stored: its own fields, without those that have no value, and the fields of every record. */
export const newRecord = (
  id: string,
  fields: Document,
  { by, at, owner = by, shared_with = [] }: Creation,
): NewRecord => ({
  _id: id,
  id,
  ...fields,
  created_date: at,
  modified_date: at,
  created_by: by,
  modified_by: by,
  owner,
  shared_with,
  [READERS_FIELD]: readersOf({ owner, shared_with }),
});
