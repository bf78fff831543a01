import type { Document } from "mongodb";
import type { QueryScope } from "../analyze/catalog.ts";
import { foreignCursor, type Position } from "../execute/cursor.ts";
import { queryLimits } from "../limits.ts";
import type { Query } from "../parse/syntax.ts";
import { type CompiledQuery, compileQuery } from "./compile.ts";
import { continuedBehind, type KeyValue, withKeys } from "./keyset.ts";

/** A query that is to be run for one page of its rows. */
export interface Page {
  /** Asks for one row more than the page has, which tells whether there is a next one. */
  readonly query: CompiledQuery;
  readonly offset: number;
  /** What a document of the result is ordered by; null where only its number tells its place. */
  keysOf(document: Document): KeyValue[] | null;
}

const noKeys = (): null => null;

/**
 * Compiles a query for the page behind `position`, or its first one. Rows of records go on behind the last one's keys,
 * so records that come or go meanwhile shift nothing; groups, distinct rows and keys without an order go on by number.
 */
export const pageOf = (query: Query, scope: QueryScope, position: Position | null): Page => {
  const behind = position?.keys ?? null;
  const offset = position === null ? query.offset : position.seen;
  const limit = query.limit === null || query.limit === 0 ? query.limit : query.limit + 1;
  const compiled = compileQuery({ ...query, limit, offset: behind === null ? offset : 0 }, scope);
  const counted = { ...compiled, rowLimit: query.limit ?? queryLimits.rows };
  const { grouping, distinct } = compiled.plan;
  const keyed = grouping === null && !distinct ? withKeys(compiled.pipeline) : null;
  if (behind !== null) {
    const pipeline = keyed && continuedBehind(keyed.pipeline, behind);
    // Only a position that nobody was given has keys where the query has none.
    if (keyed === null || pipeline === null) throw foreignCursor(scope.loc);
    return { query: { ...counted, pipeline }, offset, keysOf: keyed.keysOf };
  }
  if (keyed === null) return { query: counted, offset, keysOf: noKeys };
  return { query: { ...counted, pipeline: keyed.pipeline }, offset, keysOf: keyed.keysOf };
};
