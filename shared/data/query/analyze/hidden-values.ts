import { SENSITIVE_SCOPE, valueMaskOf } from "#shared/data/access/access";
import type { QueryAccess, QueryField } from "./catalog.ts";

/** The part of a caller's access that columns depend on. */
export type Sight = Pick<QueryAccess, "named" | "seesSensitive">;

/** Values that a query does not show. */
export interface Hidden {
  /** The field is masked for the caller. */
  readonly kind: "sensitive";
  /** What is shown in their place. */
  readonly shown: string | null;
}

/** Null if the caller sees the field's values in queries. */
export const hiddenOf = (field: QueryField, access: Sight): Hidden | null => {
  const mask = valueMaskOf(field, access);
  return mask === null ? null : { kind: "sensitive", shown: mask.shown };
};

/** What a clause does with a column. `compute`: anything that depends on its value. */
export type ColumnUse = "output" | "compute";

/** The sentence that refuses the use of a hidden column; null if it is allowed. */
export const hiddenProblem = (name: string, hidden: Hidden | null, use: ColumnUse): string | null => {
  if (hidden === null || use === "output") return null;
  return `${name} is sensitive: without the scope ${SENSITIVE_SCOPE} it can only be selected, and its values are masked.`;
};
