import { operators } from "#shared/data/query/query";
import { didYouMean } from "#shared/foundation/did-you-mean";

/** Where a name beginning with `$` stands decides what it may be. */
export type Vocabulary = "stages" | "expressions" | "accumulators" | "window" | "query";

const allowedOf = (kind: Vocabulary): ReadonlySet<string> =>
  new Set(
    Object.entries(operators[kind])
      .filter(([, entry]) => entry.route)
      .map(([name]) => name),
  );

const allowed: Readonly<Record<Vocabulary, ReadonlySet<string>>> = {
  stages: allowedOf("stages"),
  expressions: allowedOf("expressions"),
  accumulators: allowedOf("accumulators"),
  window: allowedOf("window"),
  query: allowedOf("query"),
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
