/**
 * Static limits of a condition. Together with the budget they bound the time and memory of one evaluation: the library
 * has no limit for either. See docs/validation-rules.md.
 */
export const ruleLimits = {
  /** In UTF-16 units. */
  conditionLength: 2_000,
  nodes: 250,
  depth: 32,
  listElements: 100,
  arguments: 4,
  /** How often the predicate of a comprehension may use its variable. */
  variableUses: 10,
  /** In UTF-16 units. */
  patternLength: 200,
  /** Instructions of a compiled pattern. */
  patternSize: 500,
  perObject: 50,
} as const;

/** Units that one evaluation may use. A unit is about a character read, or an element of a list. */
export const EVALUATION_BUDGET = 2_000_000;

/** Units of one expression of an automation: it reads the answers of queries, not one record. */
export const AUTOMATION_BUDGET = 20_000_000;

/**
 * What an operator, name or value in the predicate of a comprehension costs for each element: it may raise an error.
 */
export const PREDICATE_NODE_UNITS = 40;
