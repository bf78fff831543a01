import type { Document } from "mongodb";
import type { NamedObjects } from "#shared/data/access/access";
import type { QueryLocation } from "../query-issue.ts";

/** A field as its schema declares it; more properties do not matter here. */
export interface QueryField {
  readonly api_name: string;
  readonly name: string;
  readonly type: string;
  readonly format?: string | undefined;
  /** The object that a lookup points to. */
  readonly schema?: string | undefined;
  readonly indexed?: boolean | undefined;
  readonly unique?: boolean | undefined;
}

/** An object and all its fields, system fields included; `api_name` is its collection. */
export interface QueryObject {
  readonly api_name: string;
  readonly fields: ReadonlyMap<string, QueryField>;
}

/** What the caller may see. Whatever they may not is treated as if it did not exist. */
export interface QueryAccess {
  objectReadable(object: string): boolean;
  fieldReadable(object: string, field: string): boolean;
  /** The objects of whose records references show the name. */
  readonly named: NamedObjects;
  /** The records that the caller may read; null for all. Asked for every collection that a query touches. */
  filter(object: string): Document | null;
}

/** Everything that a query's meaning depends on besides its text. */
export interface QueryScope {
  /** By lower-case name: every object that the query names, as far as it exists. */
  readonly objects: ReadonlyMap<string, QueryObject>;
  /** All names of the organization's objects, for suggestions; only readable ones are suggested. */
  readonly objectNames: readonly string[];
  readonly access: QueryAccess;
  /** The id of the caller's user record: ME. */
  readonly caller: string;
  readonly now: Date;
  /** An IANA name: where days, weeks and months begin, and what a date-time without an offset means. */
  readonly timeZone: string;
  readonly loc: QueryLocation;
}
