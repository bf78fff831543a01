import { slowReadLimits } from "#shared/tenant/tenant";

/** Bounds that keep a hostile query from costing more than a reasonable one. */
export const queryLimits = {
  /** UTF-16 units of text. */
  length: 65_536,
  /** Characters of a name or an alias; objects' and fields' own names have 80 at most. */
  name: 255,
  /** Failures named in one answer. */
  issues: 100,
  /** Parentheses and NOTs inside each other; MongoDB refuses documents nested deeper than 180. */
  depth: 50,
  /** Values of one IN list. */
  listValues: 2_000,
  columns: 500,
  joins: 8,
  orderItems: 20,
  /** Characters of a LIKE pattern; MongoDB refuses regular expressions over 32 KiB. */
  pattern: 2_000,
  /** Pieces of a LIKE pattern between its `%`; the work per text grows with them. */
  patternPieces: 200,
  /** Rows that come back without LIMIT. */
  rows: 10_000,
  /** What LIMIT and OFFSET may ask for at most. */
  rowNumber: 1_000_000_000,
  ...slowReadLimits,
} as const;
