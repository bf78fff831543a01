import type { Document } from "mongodb";
import type { ComparisonOperator } from "../parse/syntax.ts";
import type { Column } from "./column.ts";

/**
 * The condition under which an expression is *true*. SQL has three truth values, but WHERE, ON and HAVING keep only
 * rows for which it is true. NOT is pushed down to the leaves (valid in Kleene's logic), so that two values are enough
 * from here on.
 */
export type Predicate =
  | { readonly kind: "always"; readonly holds: boolean }
  | { readonly kind: "all" | "any"; readonly items: readonly Predicate[] }
  /** MongoDB query operators on one column. All values in them are literals. */
  | { readonly kind: "test"; readonly column: Column; readonly test: Document }
  | {
      readonly kind: "fields";
      readonly operator: ComparisonOperator;
      readonly left: Column;
      readonly right: Column;
    };

export const always: Predicate = { kind: "always", holds: true };
export const never: Predicate = { kind: "always", holds: false };

const combine = (kind: "all" | "any", neutral: boolean, items: readonly Predicate[]): Predicate => {
  const flat: Predicate[] = [];
  for (const item of items) {
    if (item.kind === "always") {
      if (item.holds !== neutral) return item;
    } else if (item.kind === kind) flat.push(...item.items);
    else flat.push(item);
  }
  if (flat.length === 0) return neutral ? always : never;
  return flat.length === 1 ? (flat[0] as Predicate) : { kind, items: flat };
};

export const all = (items: readonly Predicate[]): Predicate => combine("all", true, items);
export const any = (items: readonly Predicate[]): Predicate => combine("any", false, items);
export const test = (column: Column, operators: Document): Predicate => ({ kind: "test", column, test: operators });

/** The conjuncts. */
export const conjuncts = (predicate: Predicate): readonly Predicate[] => {
  if (predicate.kind === "all") return predicate.items;
  return predicate.kind === "always" && predicate.holds ? [] : [predicate];
};

/** The columns that it reads, with repetitions. */
export const columnsOf = (predicate: Predicate): readonly Column[] => {
  if (predicate.kind === "test") return [predicate.column];
  if (predicate.kind === "fields") return [predicate.left, predicate.right];
  return predicate.kind === "always" ? [] : predicate.items.flatMap(columnsOf);
};

/** Whether it reads only fields of these sources. */
export const readsOnly = (predicate: Predicate, isAmong: (source: number) => boolean): boolean =>
  columnsOf(predicate).every(({ source }) => isAmong(source));
