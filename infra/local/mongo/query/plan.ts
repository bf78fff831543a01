import type { Frame, Scope } from "../expressions/compile.ts";
import type { Index, Key } from "../index/index.ts";
import type { Range } from "../index/key-space.ts";
import type { Collation } from "../values/collation.ts";
import type { Doc } from "../values/document.ts";
import type { SortField } from "../values/sort.ts";
import type { Maybe } from "../values/types.ts";

export type Plan =
  | { readonly kind: "scan" }
  | { readonly kind: "nothing" }
  | IndexPlan
  | { readonly kind: "or"; readonly plans: readonly IndexPlan[] };

export interface IndexPlan {
  readonly kind: "index";
  readonly index: Index;
  readonly ranges: readonly Range<Key>[];
  readonly backward: boolean;
  readonly sorted: boolean;
  readonly estimate: number;
  /** The index was built for one command. Its entries are positions in this snapshot. */
  readonly snapshot?: Snapshot;
}

export interface Snapshot {
  readonly rids: readonly number[];
  readonly docs: readonly Doc[];
}

export interface CanonicalQuery {
  readonly filter: Doc;
  readonly sort: readonly SortField[];
  readonly limit: number | undefined;
  readonly hint: Maybe;
  readonly collation: Collation | undefined;
  readonly scope: Scope;
  readonly frame: Frame;
}
