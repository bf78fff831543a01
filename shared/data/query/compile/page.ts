import type { Document } from "mongodb";
import { queryLimits } from "../limits.ts";
import { type CompiledQuery, type ExecutableQuery, executable } from "./compile.ts";
import type { QueryForm } from "./form.ts";
import { continuedBehind, type KeyValue, withKeys } from "./keyset.ts";

/** Where a result goes on. */
export interface Position {
  /** Rows that came before, by OFFSET or by pages. */
  readonly seen: number;
  /** What the last of them is ordered by; null: only their number is known. */
  readonly keys: readonly KeyValue[] | null;
  /** The moment that `today` and its like refer to on all pages. */
  readonly at: Date;
}

/** A query that is to be run for one page of its rows. */
export interface QueryPage {
  /** Asks for one row more than the page has, which tells whether there is a next one. */
  readonly query: ExecutableQuery;
  readonly offset: number;
  /** The values that a document of the result is ordered by; null where only its number tells its place. */
  keysOf(document: Document): KeyValue[] | null;
}

/**
 * The page behind `position`, or the first one. Rows of records go on behind the last one's keys, so that records that
 * come or go meanwhile shift nothing; groups, distinct rows and keys without an order go on by number. Null for a
 * position that this query has given nobody.
 */
export const pageOf = (compiled: CompiledQuery, position: Pick<Position, "seen" | "keys"> | null): QueryPage | null => {
  const { plan, form } = compiled;
  const { grouping, distinct, limit } = plan;
  const behind = position?.keys ?? null;
  const offset = position?.seen ?? plan.offset;
  const isKeyed = grouping === null && !distinct;
  const paged: QueryForm = {
    ...form,
    limit: limit === null || limit === 0 ? limit : limit + 1,
    offset: behind === null ? offset : 0,
  };
  const keyed = isKeyed ? withKeys(paged) : { form: paged, keysOf: () => null };
  const continued = behind === null ? keyed.form : isKeyed ? continuedBehind(keyed.form, behind) : null;
  if (continued === null) return null;
  const query = executable({ ...compiled, form: continued, rowLimit: limit ?? queryLimits.rows });
  return { query, offset, keysOf: keyed.keysOf };
};
