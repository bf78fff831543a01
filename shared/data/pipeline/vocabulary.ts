import { didYouMean } from "#shared/foundation/did-you-mean";
import allowedOperators from "./allowed-operators.json" with { type: "json" };

/** Which operators are allowed at which position. */
export type Vocabulary = "stages" | "expressions" | "accumulators" | "window" | "query";

const allowed: Readonly<Record<Vocabulary, ReadonlySet<string>>> = {
  stages: new Set(allowedOperators.stages),
  expressions: new Set(allowedOperators.expressions),
  accumulators: new Set(allowedOperators.accumulators),
  window: new Set(allowedOperators.window),
  query: new Set(allowedOperators.query),
};

const nouns: Readonly<Record<Vocabulary, string>> = {
  stages: "stage",
  expressions: "expression operator",
  accumulators: "accumulator",
  window: "window operator",
  query: "query operator",
};

export const isAllowed = (kind: Vocabulary, name: string): boolean => allowed[kind].has(name);

export const nounOf = (kind: Vocabulary): string => nouns[kind];

export const meantName = (kind: Vocabulary, name: string): string | undefined => didYouMean(name, allowed[kind]);
