import type { Document } from "mongodb";
import { queryLimits } from "../limits.ts";
import { type CompiledQuery, type ExecutableQuery, executable } from "./compile.ts";
import type { QueryForm } from "./form.ts";
import { continuedAfter, type KeyValue, withKeys } from "./keyset.ts";

/** The position where the next page begins. */
export interface Position {
  /** The number of rows before it, by OFFSET or on earlier pages. */
  readonly seen: number;
  /** The sort values of the last row; null if only its number is known. */
  readonly keys: readonly KeyValue[] | null;
  /** The instant that `today` and other relative dates refer to on all pages. */
  readonly at: Date;
}

/** A query for one page of its rows. */
export interface QueryPage {
  /** Reads one row more than the page has, which tells whether there is a next page. */
  readonly query: ExecutableQuery;
  readonly offset: number;
  /** The sort values of a result document; null if the position is known by number only. */
  keysOf(document: Document): KeyValue[] | null;
}

/**
 * The page after `position`, or the first one. Pages of records continue after the last row's keys, so that concurrent
 * changes shift nothing. Groups, distinct rows and keys without an order continue by number. Null for a position that
 * does not belong to this query.
 */
export const pageOf = (compiled: CompiledQuery, position: Pick<Position, "seen" | "keys"> | null): QueryPage | null => {
  const { plan, form } = compiled;
  const { grouping, distinct, limit } = plan;
  const after = position?.keys ?? null;
  const offset = position?.seen ?? plan.offset;
  const isKeyed = grouping === null && !distinct;
  const paged: QueryForm = {
    ...form,
    limit: limit === null || limit === 0 ? limit : limit + 1,
    offset: after === null ? offset : 0,
  };
  const keyed = isKeyed ? withKeys(paged) : { form: paged, keysOf: () => null };
  const continued = after === null ? keyed.form : isKeyed ? continuedAfter(keyed.form, after) : null;
  if (continued === null) return null;
  const query = executable({ ...compiled, form: continued, rowLimit: limit ?? queryLimits.rows });
  return { query, offset, keysOf: keyed.keysOf };
};
