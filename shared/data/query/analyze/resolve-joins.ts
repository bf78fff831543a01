import type { Condition, Join } from "../parse/syntax.ts";
import { type Column, holdsSeveral } from "./column.ts";
import type { PlannedJoin } from "./plan.ts";
import { all, conjuncts, type Predicate, readsOnly } from "./predicate.ts";
import { type ResolveExpression, resolveCondition } from "./resolve-condition.ts";
import type { Resolver, Source } from "./resolver.ts";

export interface ResolvedJoins {
  readonly joins: readonly PlannedJoin[];
  /** Conditions of inner joins that are not on the joined object alone. They are added to WHERE. */
  readonly where: readonly Predicate[];
}

interface Equality {
  readonly local: Column;
  readonly foreign: Column;
}

/** An equality `a.id = b.company`, with one side on the new object and the other on an earlier one. */
const equalityOf = (predicate: Predicate, source: Source): Equality | null => {
  if (predicate.kind !== "fields" || predicate.operator !== "=") return null;
  const { left, right } = predicate;
  if (left.source === source.index && right.source < source.index) return { local: right, foreign: left };
  if (right.source === source.index && left.source < source.index) return { local: left, foreign: right };
  return null;
};

/** This field can be used for a lookup, but not in a comparison. */
const hasList = (predicate: Predicate): boolean =>
  predicate.kind === "fields" && (holdsSeveral(predicate.left.field) || holdsSeveral(predicate.right.field));

/** On the new object alone, or on none (`1 = 0`): it decides which records match. */
const isAlone = (predicate: Predicate, source: Source): boolean =>
  readsOnly(predicate, (index) => index === source.index);

/** The operands of the top-level AND. They are separate, because a constant among them does not hide an equality. */
const topConditions = (condition: Condition): readonly Condition[] =>
  condition.kind === "and" ? condition.items.flatMap(topConditions) : [condition];

export const resolveJoins = (
  resolver: Resolver,
  joins: readonly Join[],
  expression: ResolveExpression,
): ResolvedJoins => {
  const planned: PlannedJoin[] = [];
  const where: Predicate[] = [];
  joins.forEach((join, position) => {
    const source = resolver.sources[position + 1] as Source;
    resolver.visible = source.index + 1;
    const parts = resolveJoinCondition(resolver, join, expression);
    const found = parts.map((part) => equalityOf(part, source));
    // Only the equality of the `$lookup` may use a list. Otherwise an equality on the primary key is the cheapest.
    const list = found.findIndex((equality, index) => equality !== null && hasList(parts[index] as Predicate));
    const primary = list >= 0 ? list : found.findIndex((equality) => equality?.foreign.path === "_id");
    const chosen = primary >= 0 ? primary : found.findIndex((equality) => equality !== null);
    const equality = found[chosen];
    if (!equality) {
      const parent = resolver.sources[0]?.name ?? "";
      const sentence = `ON must say which field of ${source.name} equals which field of an object before it, as in ${parent}.id = ${source.name}.${parent}.`;
      resolver.fail(join.on.at, "query_structure", sentence, { expected: [`${source.name}.… = …`] });
      return;
    }
    const rest = parts.filter((_, index) => index !== chosen);
    if (rest.some(hasList)) {
      resolver.fail(join.on.at, "query_type", "Only one equality of ON may be with a field that has several values.");
    }
    const on = rest.filter((part) => isAlone(part, source));
    const others = rest.filter((part) => !isAlone(part, source));
    if (join.outer && others.length > 0) {
      const sentence = `Besides the equality, the ON of a LEFT JOIN may only have conditions on ${source.name} itself.`;
      resolver.fail(join.on.at, "query_structure", sentence);
    }
    where.push(...others);
    planned.push({ source, outer: join.outer, ...equality, on: all(on) });
  });
  resolver.visible = resolver.sources.length;
  return { joins: planned, where };
};

/** Lists may be used in the equality of a join, where any of their values matches. */
const resolveJoinCondition = (resolver: Resolver, join: Join, expression: ResolveExpression): readonly Predicate[] => {
  const single: ResolveExpression = (written, use) => {
    const column = expression(written, use);
    return column?.list && column.kind === "text" ? { ...column, list: false } : column;
  };
  return topConditions(join.on).flatMap((item) => {
    const between = item.kind === "comparison" && item.left.kind === "path" && item.right.kind === "path";
    return conjuncts(resolveCondition(resolver, item, between ? single : expression));
  });
};
