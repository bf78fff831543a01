import type { AggregateName } from "../parse/syntax.ts";
import type { Column } from "./column.ts";
import type { Predicate } from "./predicate.ts";
import type { Source } from "./resolver.ts";

/** What a query means, without saying yet how MongoDB is to do it. Every name is resolved, every value converted. */
export interface Plan {
  readonly sources: readonly Source[];
  readonly joins: readonly PlannedJoin[];
  readonly where: readonly Predicate[];
  /** Null: each row is a record, or one pair of a join. */
  readonly grouping: Grouping | null;
  readonly distinct: boolean;
  readonly columns: readonly OutputColumn[];
  readonly order: readonly OrderKey[];
  readonly limit: number | null;
  readonly offset: number;
}

export interface PlannedJoin {
  readonly source: Source;
  /** LEFT JOIN: a row without a match stays, once, with NULLs. */
  readonly outer: boolean;
  /** On a source before this one. */
  readonly local: Column;
  /** On this source. */
  readonly foreign: Column;
  /** Further conditions of ON, on this source alone. */
  readonly on: Predicate;
}

export interface Grouping {
  readonly keys: readonly GroupKey[];
  readonly aggregates: readonly PlannedAggregate[];
  /** On columns of the group. */
  readonly having: Predicate;
}

/** `slot` names the key in the `_id` of the group; `whole`, for a lookup, names where its `{id, schema, name}` goes. */
export interface GroupKey {
  readonly slot: string;
  readonly column: Column;
  readonly whole: string | null;
}

/** Where a key is found after grouping: a single key is the `_id` itself, several are the fields of it. */
export const groupPathOf = (keys: readonly GroupKey[], { slot }: GroupKey): string =>
  keys.length === 1 ? "_id" : `_id.${slot}`;

export interface PlannedAggregate {
  readonly slot: string;
  readonly name: AggregateName;
  readonly distinct: boolean;
  /** Null: `COUNT(*)`. */
  readonly column: Column | null;
}

export interface Header {
  readonly api_name: string;
  readonly label: string;
  readonly type: string;
  readonly format?: string;
}

export interface OutputColumn {
  readonly header: Header;
  readonly column: Column;
}

export interface OrderKey {
  readonly column: Column;
  readonly descending: boolean;
}

/** The object of FROM. */
export const baseOf = (plan: Plan): Source => plan.sources[0] as Source;
