import type { AggregateName } from "../parse/syntax.ts";
import type { Column } from "./column.ts";
import type { Predicate } from "./predicate.ts";
import type { Source } from "./resolver.ts";

/** The meaning of a query, independent of MongoDB. All names are resolved, all values converted. */
export interface Plan {
  readonly sources: readonly Source[];
  readonly joins: readonly PlannedJoin[];
  readonly where: readonly Predicate[];
  /** Null if each row is a record, or a pair of a join. */
  readonly grouping: Grouping | null;
  readonly distinct: boolean;
  readonly columns: readonly OutputColumn[];
  readonly order: readonly OrderKey[];
  readonly limit: number | null;
  readonly offset: number;
}

export interface PlannedJoin {
  readonly source: Source;
  /** LEFT JOIN: a row without a match stays, with NULLs. */
  readonly outer: boolean;
  /** A column of an earlier source. */
  readonly local: Column;
  /** A column of this source. */
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

/** `resultKey` is the key in the `_id` of the group. For a lookup, `whole` is the key of its `{id, schema, name}`. */
export interface GroupKey {
  readonly resultKey: string;
  readonly column: Column;
  readonly whole: string | null;
}

/** The path of a key after grouping: a single key is the `_id` itself, several keys are its fields. */
export const groupPathOf = (keys: readonly GroupKey[], { resultKey }: GroupKey): string =>
  keys.length === 1 ? "_id" : `_id.${resultKey}`;

export interface PlannedAggregate {
  readonly resultKey: string;
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
