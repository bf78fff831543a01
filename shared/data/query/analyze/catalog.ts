import type { Document } from "mongodb";
import type { NamedObjects } from "#shared/data/access/access";
import type { QueryLocation } from "../query-issue.ts";

/** The part of a schema's field that is needed here. */
export interface QueryField {
  readonly api_name: string;
  readonly name: string;
  readonly type: string;
  readonly format?: string | undefined;
  /** The object that a lookup refers to. */
  readonly schema?: string | undefined;
  readonly indexed?: boolean | undefined;
  readonly unique?: boolean | undefined;
  readonly sensitive?: boolean | undefined;
  readonly encrypted?: boolean | undefined;
  readonly index_status?: string | undefined;
  readonly system?: boolean | undefined;
}

/** An object with all its fields, including system fields. `api_name` is its collection. */
export interface QueryObject {
  readonly api_name: string;
  readonly fields: ReadonlyMap<string, QueryField>;
}

/** What the caller may see. Everything else is treated as if it did not exist. */
export interface QueryAccess {
  objectReadable(object: string): boolean;
  fieldReadable(object: string, field: string): boolean;
  /** The objects whose records' names the caller sees in references. */
  readonly named: NamedObjects;
  /** Whether the caller sees the values of sensitive fields; else they are masked. */
  readonly seesSensitive: boolean;
  /** A filter for the records that the caller may read; null for all. Applied to every collection of a query. */
  filter(object: string): Document | null;
}

/** Everything besides the text that a query's meaning depends on. */
export interface QueryScope {
  /** By lower-case name: the objects that the query names and that exist. */
  readonly objects: ReadonlyMap<string, QueryObject>;
  /** The names of all objects of the organization, for suggestions. Only readable ones are suggested. */
  readonly objectNames: readonly string[];
  readonly access: QueryAccess;
  /** The id of the caller's user record, for ME. */
  readonly caller: string;
  readonly now: Date;
  /** An IANA name. It decides where days, weeks and months begin, and the instant of a date-time without an offset. */
  readonly timeZone: string;
  readonly loc: QueryLocation;
  /** The hash of a text as an encrypted field stores it. Only for queries that compare such a field. */
  readonly hashOf?: (object: string, field: string, text: string) => string;
}
