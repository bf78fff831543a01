import { slowReadLimits } from "#shared/tenant/tenant";

/** Limits on the cost of a query. */
export const queryLimits = {
  /** UTF-16 units of text. */
  length: 65_536,
  /** Characters of a name or alias. The names of objects and fields have at most 80. */
  name: 255,
  /** Issues in one reply. */
  issues: 100,
  /** Nested parentheses and NOTs. MongoDB refuses documents nested deeper than 180. */
  depth: 50,
  /** Values of one IN list. */
  listValues: 2_000,
  columns: 500,
  joins: 8,
  orderItems: 20,
  /** Characters of a LIKE pattern. MongoDB refuses regular expressions over 32 KiB. */
  pattern: 2_000,
  /** Pieces of a LIKE pattern between its `%`. The time for each text is proportional to them. */
  patternPieces: 200,
  /** Rows without LIMIT. */
  rows: 10_000,
  /** The largest LIMIT and OFFSET. */
  rowNumber: 1_000_000_000,
  ...slowReadLimits,
} as const;
