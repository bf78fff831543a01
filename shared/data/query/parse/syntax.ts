/** The position of a node in the text: `offset` and `length` in UTF-16 units, `line` and `column` from 1. */
export interface Span {
  readonly offset: number;
  readonly length: number;
  readonly line: number;
  readonly column: number;
}

interface Node {
  readonly at: Span;
}

/** A name as written, without quotes. */
export interface Name extends Node {
  readonly text: string;
}

/** `name`, `lead.name`, `lead.company.name`: one to three names. */
export interface Path extends Node {
  readonly kind: "path";
  readonly names: readonly Name[];
}

export type RelativeUnit = "day" | "week" | "month" | "quarter" | "year";

/**
 * A range of whole units relative to the current one (0); `from` and `to` are inclusive. `last_n_days:30` is −30…0
 * days, `next_month` is 1…1 months. `now` is the current instant.
 */
export type RelativeDate = { readonly unit: RelativeUnit; readonly from: number; readonly to: number } | "now";

export type Literal =
  | (Node & { readonly kind: "string"; readonly value: string })
  | (Node & { readonly kind: "number"; readonly value: number })
  | (Node & { readonly kind: "boolean"; readonly value: boolean })
  | (Node & { readonly kind: "null" })
  | (Node & { readonly kind: "me" })
  | (Node & { readonly kind: "relative"; readonly word: string; readonly date: RelativeDate });

export const aggregateNames = ["COUNT", "SUM", "AVG", "MIN", "MAX"] as const;
export type AggregateName = (typeof aggregateNames)[number];

/** `text` is the aggregate as written, which is the key of an unnamed column. `argument` null is `*`. */
export interface Aggregate extends Node {
  readonly kind: "aggregate";
  readonly name: AggregateName;
  readonly distinct: boolean;
  readonly argument: Path | null;
  readonly text: string;
}

export type Expression = Path | Aggregate;
export type Operand = Expression | Literal;

export type ComparisonOperator = "=" | "!=" | "<" | "<=" | ">" | ">=";

export type Condition =
  | (Node & { readonly kind: "and" | "or"; readonly items: readonly Condition[] })
  | (Node & { readonly kind: "not"; readonly item: Condition })
  | (Node & {
      readonly kind: "comparison";
      readonly operator: ComparisonOperator;
      readonly left: Operand;
      readonly right: Operand;
    })
  | (Node & {
      readonly kind: "between";
      readonly negated: boolean;
      readonly left: Expression;
      readonly low: Operand;
      readonly high: Operand;
    })
  | (Node & {
      readonly kind: "in";
      readonly negated: boolean;
      readonly left: Expression;
      readonly values: readonly Literal[];
    })
  | (Node & {
      readonly kind: "like";
      readonly negated: boolean;
      readonly left: Expression;
      readonly pattern: Literal;
    })
  | (Node & { readonly kind: "is-null"; readonly negated: boolean; readonly left: Expression });

export type SelectItem =
  | (Node & { readonly kind: "star"; readonly qualifier: Name | null })
  | (Node & { readonly kind: "column"; readonly expression: Expression; readonly alias: Name | null });

export interface SourceName extends Node {
  readonly object: Name;
  readonly alias: Name | null;
}

export interface Join extends Node {
  readonly outer: boolean;
  readonly source: SourceName;
  readonly on: Condition;
}

export interface OrderItem extends Node {
  readonly expression: Expression;
  readonly descending: boolean;
}

export interface Query extends Node {
  readonly explain: boolean;
  readonly distinct: boolean;
  readonly select: readonly SelectItem[];
  readonly from: SourceName;
  readonly joins: readonly Join[];
  readonly where: Condition | null;
  readonly groupBy: readonly Path[];
  readonly having: Condition | null;
  readonly orderBy: readonly OrderItem[];
  readonly limit: number | null;
  readonly offset: number;
}
