import { queryLimits } from "../limits.ts";
import type { Condition, Span } from "../parse/syntax.ts";
import type { Column } from "./column.ts";
import { patternTest } from "./column-test.ts";
import { likePattern } from "./like-pattern.ts";
import { always, never, type Predicate } from "./predicate.ts";
import type { Resolver } from "./resolver.ts";

/** Resolves `column LIKE pattern`. Invalid parts are issues. */
export const resolveLike = (
  resolver: Resolver,
  condition: Extract<Condition, { kind: "like" }>,
  negated: boolean,
  column: Column | null,
): Predicate => {
  if (!column) return always;
  const { pattern: literal } = condition;
  const refuse = (at: Span, sentence: string, expected: string[]): Predicate => {
    resolver.fail(at, "query_type", sentence, { expected });
    return always;
  };
  const name = column.field.api_name;
  if (column.reference !== null) {
    const isNamed = column.mask !== "every";
    const hint = isNamed ? `; use ${name}.name LIKE … for the name of the lookup.` : `, which ${name} is not.`;
    return refuse(condition.left.at, `LIKE needs text${hint}`, [isNamed ? `${name}.name` : "a text field"]);
  }
  if (column.kind !== "text" && column.kind !== "any") {
    return refuse(condition.left.at, `LIKE needs text, which ${name} is not.`, ["a text field"]);
  }
  if (literal.kind === "null") return never;
  if (literal.kind !== "string")
    return refuse(literal.at, "The pattern of LIKE is text in quotes.", ["text in quotes"]);
  if (literal.value.length > queryLimits.pattern) {
    return tooComplex(resolver, literal.at, `A pattern has at most ${queryLimits.pattern} characters.`);
  }
  const pattern = likePattern(literal.value);
  if (pattern === "incomplete") {
    return refuse(literal.at, "The pattern ends in a backslash; write \\\\ for a backslash itself.", [
      "a complete pattern",
    ]);
  }
  if (pattern === "too complex") {
    const sentence = `A pattern has at most ${queryLimits.patternPieces} pieces of text between its %.`;
    return tooComplex(resolver, literal.at, sentence);
  }
  return patternTest(column, negated, pattern);
};

const tooComplex = (resolver: Resolver, at: Span, sentence: string): Predicate => {
  resolver.fail(at, "query_too_complex", sentence);
  return always;
};
